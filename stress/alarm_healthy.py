"""Are healthy machines of many kinds alarmed more often than promised? Writes JSON.

    python stress/alarm_healthy.py [--workers 1] [--machines 60] [--expected 120] [-o FILE]

Every machine has healthy blocks of its own to learn from, and then healthy blocks are watched until the promise allows
for `--expected` false alarms of all machines of its kind. A promise is broken where there are more than chance allows
in one of 200 cases (Poisson's distribution). What alarms promise these kinds is what `between_for_all` says, or the
stated rate for plain kinds. Where nothing is promised, as many blocks are watched as if it were. `by_bets` counts false
alarms where the threshold is that of fair bets, whatever the reference shows. Progress goes to standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import poisson

from _tally import this_run
from alarm_years import YEAR, alarms_of
from dualres.stream.alarm.alarm import Alarm
from dualres.stream.alarm.promise import LONG, between_for_all
from dualres.utils.files import write_whole
from healthy_machines import (
    ALIKE,
    BURSTS,
    CLUSTERED,
    INDEPENDENT,
    KINDS,
    LONG_MEMORY,
    SWINGING_SPREAD,
    VERY_ALIKE,
    Machine,
    steps,
    swinging_load,
)

ROOT = Path(__file__).parents[1]
SEED = 350_010
BETWEEN, SURELY = 20_000.0, 0.995


@dataclass(frozen=True)
class Case:
    machine: Machine
    reference: int = LONG  # blocks
    between: float = BETWEEN

    @property
    def promised(self) -> float | None:
        """Blocks between false alarms, None where no rate is promised."""
        return self.between if self.machine.plain else between_for_all(self.between, self.reference)


CASES = (
    *(Case(machine) for machine in KINDS),
    Case(INDEPENDENT, 720),
    Case(ALIKE, 2160),
    Case(VERY_ALIKE, 8640),
    Case(Machine("a load that swings every 300 blocks", swinging_load(300), plain=True), 2880),
    Case(Machine("steps of half a standard deviation, about every 100 blocks", steps(100), plain=True), 2880),
    *(Case(machine, between=YEAR) for machine in (CLUSTERED, SWINGING_SPREAD, BURSTS)),
    *(Case(machine, 720) for machine in (CLUSTERED, SWINGING_SPREAD, BURSTS, LONG_MEMORY)),
)


def machine_of(case: int, machine: int, watched: int) -> tuple[int, int, float, str] | None:
    """False alarms, those by bets alone, nats that the threshold is higher, and the promise; None without one."""
    given = CASES[case]
    rng = np.random.Generator(np.random.SFC64([SEED, case, machine]))
    scores = given.machine.scores(rng, given.reference + watched)
    alarm = Alarm.learned(scores[: given.reference], blocks_between_false_alarms=given.between)
    state = alarm.state
    if state.promise is None:
        return None
    alarms, by_bets = (alarms_of(alarm, scores[given.reference :], nats) for nats in (state.threshold, state.clears))
    return alarms, by_bets, state.threshold - state.clears, state.promise


def told(case: int, machines: int, expected: float, pool: Any) -> dict[str, Any]:
    """What one kind of machines shows."""
    given = CASES[case]
    watched = round((given.promised or given.between) * expected / machines)
    found = pool.starmap(machine_of, [(case, machine, watched) for machine in range(machines)], chunksize=1)
    promised = [one for one in found if one]
    alarms = sum(one[0] for one in promised)
    allowed = len(promised) * watched / (given.promised or given.between)
    most = int(poisson.ppf(SURELY, allowed))
    return {
        "healthy": given.machine.title,
        "reference": given.reference,
        "between": round(given.between),
        "promised": given.promised and round(given.promised),
        "machines": machines,
        "no_promise": machines - len(promised),
        "blocks": len(promised) * watched,
        "expected": round(allowed, 1),
        "false_alarms": alarms,
        "most_by_chance": most,
        "broken": given.promised is not None and alarms > most,
        "by_bets": sum(one[1] for one in promised),
        "higher_nats": round(float(np.median([one[2] for one in promised])), 1) if promised else None,
        "says": promised[0][3] if promised else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "cases",
        type=int,
        nargs="*",
        default=range(len(CASES)),
        help="by number, in place of those in FILE; all without",
    )
    parser.add_argument("--machines", type=int, default=60, help="of each kind, each with a reference of its own")
    parser.add_argument("--expected", type=float, default=120, help="false alarms that the promise allows for")
    parser.add_argument("--workers", type=int, default=1, help="processes; results are the same for any number")
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "results/measured/alarm_healthy.json")
    given = parser.parse_args()
    run, chosen = this_run("stress/alarm_healthy.py"), list(given.cases)
    kept = json.loads(given.out.read_text())["healthy"] if given.out.exists() and len(chosen) < len(CASES) else []
    rows: dict[int, dict[str, Any]] = {row["case"]: row for row in kept}
    with Pool(given.workers) as pool:
        for case in chosen:
            rows[case] = {"case": case} | told(case, given.machines, given.expected, pool) | {"run": run}
            print({key: value for key, value in rows[case].items() if key != "says"}, file=sys.stderr, flush=True)
            healthy = [rows[number] for number in sorted(rows)]
            write_whole(given.out, (json.dumps({"healthy": healthy}, indent=1) + "\n").encode())
    sys.exit(any(row["broken"] for row in rows.values()))


if __name__ == "__main__":
    main()
