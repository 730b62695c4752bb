"""What an alarm promises, in words, and for which healthy machines it does not.

`stress/alarm_healthy.py` finds what holds. Bets alone keep the rate where a block remembers the one before, at loads
that the reference shows. The threshold that the reference itself sets (`excursions.py`) keeps it for machines of other
kinds too, if that reference is long, and for a rate that is not much rarer than what it can show.
"""

from dualres.stream.alarm.excursions import LEAST_TRIED

LONG = 17_280  # healthy blocks; a day of blocks of 5 s
RARER = 2  # times as many blocks as those learned from; no rarer alarm is promised to machines of all kinds
OFTEN = 20  # times that the reference shows what is promised to be no alarm
SUPPOSED = ", if rarer scores go on as the highest healthy ones thin out"
PLAIN = "as long as a block remembers at most the one before and the load stays or swings as recorded"
OTHERS = "where the spread of scores changes, bursts come or the memory is long"


def between_for_all(between: float, healthy: int, tried: int = LONG) -> float | None:
    """Blocks between false alarms of machines of `OTHERS`, too; None where no rate is promised to those.

    `healthy` is how many blocks were learned from, and `tried` how many bets they make.
    """
    return min(between, RARER * healthy) if healthy >= LONG and tried >= LEAST_TRIED else None


def promise_of(between: float, sure: float, healthy: int, tried: int, *, extrapolates: bool) -> str:
    """Of one false alarm in `between` blocks; `extrapolates` beyond the highest healthy one."""
    said = f"{_rate(between)} healthy blocks on average, {sure:.0%} sure{SUPPOSED if extrapolates else ''}"
    rare = f"that come less than {OFTEN} times in these {healthy:,} healthy blocks"
    for_all = between_for_all(between, healthy, tried)
    if for_all is None:
        takes = f"{LONG:,} healthy blocks" if healthy < LONG else f"{LEAST_TRIED} bets, and these blocks make {tried}"
        return f"{said}, {PLAIN}; no promise {OTHERS} (that takes {takes}) nor for steps {rare}"
    rare = f"no promise for steps, changes of the spread or bursts {rare}"
    if for_all == between:
        return f"{said}, also {OTHERS}; {rare}"
    return f"{said}, {PLAIN}; {_rate(for_all)} {OTHERS}; {rare}"


def _rate(between: float) -> str:
    return f"at most one false alarm in {between:,.0f}"
