"""Verdicts of a disturbed agent, held to those of monitors that nothing happened to."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from _watchers import PATIENCE_S, Agent

KEPT = ("kind", "number", "start", "stop", "label", "probabilities", "windows", "missing")
QUIET_S = 1.0  # without a new verdict, after which to look whether all are there


def compare(agents: list[Agent], devices: list[Any], model: Path, gaps_allowed: bool) -> None:
    """Wait for all verdicts, as long as more come, and hold them to those of monitors that nothing happened to."""
    from dualres.judge.model import load

    judge, before, since = load(model), -1, time.monotonic()
    while True:
        told = [one for agent in agents for one in agent.told()]
        if len(told) != before:
            before, since = len(told), time.monotonic()
        if time.monotonic() - since >= QUIET_S:
            try:
                for device in devices:
                    of_it = [one for one in told if one["stream"] == device.topic]
                    check(of_it, device.signal, judge, gaps_allowed, device.rate)
                return
            except UnfinishedError as error:
                gone = [agent for agent in agents if not agent.dead and not agent.alive()]
                if gone or time.monotonic() - since > PATIENCE_S:
                    last = " | ".join(agent.log[-150:] for agent in gone or agents)
                    raise AssertionError(f"{error}, {len(gone)} agents ended: {last}") from None
        time.sleep(0.2 + (time.monotonic() - since) / 10)  # looking takes time that agents need


class UnfinishedError(Exception):
    """Not all is there yet."""


def check(told: list[dict[str, Any]], signal_: np.ndarray, model: Any, gaps_allowed: bool, rate: int) -> None:
    """An AssertionError if verdicts of a stream are altered, too many or too few."""
    by_id: dict[str, str] = {}
    for one in told:
        assert by_id.setdefault(one["id"], essence(one)) == essence(one), f"{one['id']} came twice, and not the same"
    if not told:
        raise UnfinishedError("there are no verdicts")
    first = told[0]
    assert {one["run"] for one in told} == {first["run"]}, "the stream was taken for several"
    windows = {one["number"]: one for one in told if one["kind"] == "window"}
    gaps = [(one["start"] - one["missing"], one["start"]) for _, one in sorted(windows.items()) if one["missing"]]
    assert gaps_allowed or not gaps, f"{gaps} are told to be missing, and were acknowledged"
    events = undisturbed(model, signal_, gaps, rate)
    expected = {f"{first['stream']}/{first['run']}/{one.kind}/{one.number}": essence(one.as_data()) for one in events}
    wrong = [name for name in by_id if name in expected and by_id[name] != expected[name]]
    assert not wrong, f"{len(wrong)} verdicts are altered, {wrong[0]} first"
    assert by_id.keys() <= expected.keys(), f"{len(by_id.keys() - expected.keys())} verdicts are of no sample"
    if missing := expected.keys() - by_id.keys():
        raise UnfinishedError(f"{len(missing)} of {len(expected)} verdicts are missing, such as {min(missing)}")


def essence(verdict: dict[str, Any]) -> str:
    """What must be the same, to the last bit."""
    return json.dumps({name: verdict[name] for name in KEPT})


def undisturbed(model: Any, signal_: np.ndarray, gaps: list[tuple[int, int]], rate: int) -> list[Any]:
    """What a monitor says of the signal without these parts."""
    from dualres.stream import Monitor

    monitor, events, at = Monitor(model, rate), [], 0
    for start, stop in gaps:
        events += monitor.push(signal_[at:start]) + monitor.gap(stop - start)
        at = stop
    return events + monitor.push(signal_[at:])
