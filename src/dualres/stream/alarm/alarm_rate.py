"""How often a user accepts a false alarm, as it is written: "1 per year", "2/month", "1 per 100 blocks"."""

import re

from dualres.errors import ConfigError

_DAY = 86_400.0
SECONDS = {"minute": 60.0, "hour": 3600.0, "day": _DAY, "week": 7 * _DAY, "month": 365.25 / 12 * _DAY}
SECONDS |= {"year": 365.25 * _DAY}
_WRITTEN = re.compile(r"(?P<alarms>\d+(?:\.\d+)?)\s*(?:/|per\b)\s*(?P<count>\d+(?:\.\d+)?)?\s*(?P<unit>[a-z]+?)s?")


def rate_of(text: str, block_s: float, machines: int = 1) -> float:
    """Blocks of `block_s` seconds between false alarms of a machine, where all machines together keep the rate."""
    found = _WRITTEN.fullmatch(text.strip().lower())
    if not found or found["unit"] not in (*SECONDS, "block"):
        raise ConfigError(f"{text!r}: a rate such as '1 per year', '2/month' or '1 per 100 blocks' is needed")
    if block_s <= 0 or machines < 1:
        raise ConfigError(f"block_s={block_s}, machines={machines}: blocks last some seconds, of at least one machine")
    alarms, blocks = float(found["alarms"]), float(found["count"] or 1) * SECONDS.get(found["unit"], block_s) / block_s
    if not 0 < alarms * 2 <= blocks * machines:
        raise ConfigError(
            f"{text!r}: at most one false alarm in two blocks of {block_s:g} s can be asked for, and some"
        )
    return blocks * machines / alarms
