"""Speeds of labelled recordings that nobody states, heard in their vibration and lined up with each other.

A recording whose estimate is sure says at about which speeds the machine runs. Among those, less evidence is enough for
the others. Where most recordings, and some of every class, have a speed then, a network learns on an axis of orders;
elsewhere it does without.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dualres.faultlines.speed_estimate import LEAST_TURNS, RANGE_HZ, WEIGHTS, SpeedEstimate, decide, usual
from dualres.faultlines.speed_evidence import GRID, MOST_S, SpeedEvidence, speed_evidence
from dualres.recordings.recording import Recording, axes_of
from dualres.recordings.speed import Speed
from dualres.utils.progress import Progress, quiet

STAGE = "Find speeds"  # that progress is told of
REACH = 1.35  # times beyond the speeds that are sure
LEAST_LEAD = 0.4  # of an estimate among these; `SURE_LEAD` is for one that nothing is known of
APART = 0.1  # nats; a narrower range of speeds leaves nothing to choose among
LEAST_SHARE = 0.5  # of the recordings that must have a speed in the end


def lined_up(recordings: Sequence[Recording], progress: Progress = quiet) -> tuple[tuple[Recording, ...], str]:
    """The recordings with the speeds that were found, and a sentence on that; as they were where nobody misses one."""
    missing = [one for one in recordings if one.speed is None and not one.speedless]
    if not missing:
        return tuple(recordings), ""
    evidence: dict[str, tuple[SpeedEvidence, float]] = {}
    for done, one in enumerate(missing):
        progress(STAGE, done, len(missing), one.id)
        evidence |= _evidence(one)
    progress(STAGE, len(missing), len(missing), "")
    found = {name: each for name, one in evidence.items() if (each := _estimate(*one)) and each.sure}
    stated = [one.speed.mean_hz for one in recordings if one.speed]
    if known := [*stated, *(each.hz for each in found.values())]:
        low, high = min(known) / REACH, max(known) * REACH
        among = {name: _estimate(*one, low, high) for name, one in evidence.items() if name not in found}
        found |= {name: each for name, each in among.items() if each and each.lead >= LEAST_LEAD}
    turning = tuple(
        replace(one, speed=Speed((found[one.id].hz,), source="estimated")) if one.id in found else one
        for one in recordings
    )
    said = f"speeds: {len(found)} of {len(missing)} that nobody stated were found in the vibration"
    some = [one for one in turning if one.speed]
    if len(some) < LEAST_SHARE * len(turning) or {one.label for one in some} < {one.label for one in turning}:
        return tuple(recordings), f"{said}, too few to learn by; recordings without one are judged without"
    return turning, said


def _evidence(recording: Recording) -> dict[str, tuple[SpeedEvidence, float]]:
    """Of a recording's first axis, by its id, with its seconds; none of one that is too short."""
    signal, rate = axes_of(recording)[0], float(recording.rate)
    samples = next(signal.blocks(int(MOST_S * rate) + 1)).astype(np.float64)
    seconds = len(samples) / rate
    if seconds * RANGE_HZ[1] < 2 * LEAST_TURNS:
        return {}
    return {recording.id: (speed_evidence(samples, rate), seconds)}


def _estimate(
    evidence: SpeedEvidence, seconds: float, low_hz: float = RANGE_HZ[0], high_hz: float = RANGE_HZ[1]
) -> SpeedEstimate | None:
    """Among these speeds; None where the recording is too short for any of them."""
    low, high = max(low_hz, RANGE_HZ[0], LEAST_TURNS / seconds), min(high_hz, RANGE_HZ[1])
    if np.log(high / low) < APART:
        return None
    return decide(evidence, WEIGHTS @ evidence.features + usual(GRID), (low, high))
