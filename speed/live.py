"""How many live streams does one process judge, how late, and in how much memory? Prints JSON.

`realtime`: so many streams at 12.8 kHz, one axis and one member, come in chunks of 0.1 s as sensors would send them,
all in step, through the spool. `late_ms` is the time from when a window's last sample was taken to when its verdict was
at the sink. `capacity`: streams that could be judged in real time, from how long it takes when samples come as fast as
they are taken. Each is a process of its own.
"""

from __future__ import annotations

import time

import numpy as np

from _live import RATE, Clocked, Sensors, each_alone, machine, parser_of, peak_mb, progress, tell, watching

CAPACITY_S = 10.0  # of every stream


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0, help="of realtime")
    arguments = parser.parse_args()
    if arguments.only == "realtime":
        tell(realtime(arguments.streams, arguments.seconds))
    elif arguments.only == "capacity":
        tell(capacity(arguments.streams))
    else:
        tell({"streams": arguments.streams, **machine(), **each_alone(("realtime", "capacity"))}, arguments.out)


def realtime(streams: int, seconds: float) -> dict[str, object]:
    source, sink = Sensors(streams, (seconds, RATE)), Clocked()
    progress(f"{streams} streams for {seconds:g} s")
    with watching(source, sink) as (agent, _):
        before = time.process_time()
        agent.run()
        busy = (time.process_time() - before) / seconds
    found = sink.arrivals
    late = 1000 * (found["at"] - source.begin - found["stop"] / RATE)
    quantiles = np.quantile(late, [0.5, 0.95, 0.99, 1.0]).round(1).tolist()
    return {
        "seconds": seconds,
        "windows": len(late),
        "late_ms": dict(zip(("p50", "p95", "p99", "max"), quantiles, strict=True)),
        "within_half_a_second": round(float(np.mean(late <= 500)), 4),
        "missing": int(found["missing"].sum()),
        "cores_busy": round(busy, 2),
        "peak_mb": peak_mb(),
    }


def capacity(streams: int) -> dict[str, object]:
    sink = Clocked()
    progress(f"{streams} streams as fast as they go")
    with watching(Sensors(streams, (CAPACITY_S, 0)), sink) as (agent, _):
        begin, before = time.time(), time.process_time()
        agent.run()
        took, busy = time.time() - begin, time.process_time() - before
    return {
        "streams": round(streams * CAPACITY_S / took),
        "windows_per_s": round(len(sink.arrivals) / took),
        "cores_busy": round(busy / took, 2),
    }


if __name__ == "__main__":
    main()
