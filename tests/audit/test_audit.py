"""Planted leaks are found, each under its name and with its recordings; clean splits raise none."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.signal import lfilter, resample_poly

from dualres.audit import Split, audit, audit_splits, screen
from dualres.bench.datasets import cwru
from dualres.bench.datasets.folds import load_fold
from dualres.errors import ConfigError, RecordingError
from dualres.recordings.recording import Origin, Recording
from dualres.recordings.store import open_store
from dualres.simulated import rig as simulated
from tests.variants import also

RATE = 12_800
SECONDS = 3


def vibration(seed, seconds=SECONDS):
    """A machine at one speed: the same lines in every recording, and noise of its own."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * RATE)) / RATE
    signal = 0.4 * rng.standard_normal(len(t))
    for order in range(1, 20):
        signal += np.cos(2 * np.pi * 25 * order * t) / order
    return signal.astype(np.float32)


def recording(id, signal, label="good", rate=RATE, component=None, **condition):
    made = Recording.from_array(signal, rate, id, label)
    return replace(made, component=component or f"unit of {id}", condition=condition)


def machine(**changes):
    """Six recordings, the last two to be judged; `changes` puts other signals or recordings in their place."""
    made = []
    for number, id in enumerate("abcdef"):
        change = changes.get(id)
        label = "good" if id in "abe" else "bad"
        given = change if isinstance(change, np.ndarray) else vibration(number)
        made.append(change if isinstance(change, Recording) else recording(id, given, label))
    return made


SPLIT = Split(support=("a", "b", "c", "d"), evaluation=("e", "f"), held_out="component")


def leaks(findings):
    return [f for f in findings if f.severity == "leak"]


def only(findings, severity="leak"):
    (finding,) = [f for f in findings if f.severity == severity]
    return finding


def test_a_clean_split_is_silent_and_a_recording_on_both_sides_a_leak():
    assert audit(machine(), SPLIT) == []
    finding = only(audit(machine(), replace(SPLIT, evaluation=("a", "e", "f"), held_out="recording")))
    assert (finding.kind, finding.recordings) == ("same-recording", ("a",))


@pytest.mark.parametrize("origin", [Origin(Path("pump.wav")), Origin(None, "5ca1ab1e")])
def test_two_names_for_one_file(origin):
    parts = machine()
    parts[0], parts[4] = (replace(parts[i], origin=origin) for i in (0, 4))
    finding = only(audit(parts, SPLIT, signals=False))
    assert (finding.kind, finding.recordings) == ("same-file", ("a", "e"))
    parts[4] = replace(parts[4], origin=replace(origin, channel="another sensor"))
    assert audit(parts, SPLIT, signals=False) == []


def test_a_byte_copy_is_a_leak_across_the_sides_and_a_warning_within_one():
    finding = only(audit(machine(e=vibration(0)), SPLIT))
    assert (finding.kind, finding.recordings) == ("identical-content", ("a", "e"))
    findings = audit(machine(b=vibration(0)), SPLIT)
    assert not leaks(findings)
    assert (only(findings, "warning").kind, only(findings, "warning").recordings) == ("identical-content", ("a", "b"))


def noisy(signal, snr_db):
    noise = np.random.default_rng(9).standard_normal(len(signal)).astype(np.float32)
    return signal + noise * signal.std() * 10 ** (-snr_db / 20)


LONG = vibration(11, seconds=9)

# What became of the copied signal, and where in the original it starts, in s. "a" is learned from, "e" is judged.
COPIES = {
    "shifted": (LONG[:38_400], LONG[12_800:51_200], 1.0),
    "shifted the other way": (LONG[12_800:51_200], LONG[:38_400], -1.0),
    "rotated": (LONG[:38_400], np.roll(LONG[:38_400], -9_000), 9_000 / RATE),
    "scaled": (LONG[:38_400], 7.5 * LONG[:38_400], 0.0),
    "scaled and inverted": (LONG[:38_400], -0.01 * LONG[:38_400], 0.0),
    "offset": (LONG[:38_400], LONG[:38_400] + 5, 0.0),
    "trimmed": (LONG[:38_400], LONG[5_000:30_001], 5_000 / RATE),
    "cut from a longer one": (LONG, LONG[60_000:80_000], 60_000 / RATE),
    "built into a longer one": (LONG[60_000:80_000], LONG, -60_000 / RATE),
    "noisy": (LONG[:38_400], noisy(LONG[:38_400], 20), 0.0),
    "filtered": (LONG[:38_400], lfilter([1, -1], [1, -0.95], LONG[:38_400]), 0.0),
    "spliced": (LONG[:38_400], np.concatenate([vibration(12, 1), LONG[12_800:32_000]]), 0.0),
    "all at once": (LONG, noisy(3 - 0.2 * LONG[40_000:65_000], 20), 40_000 / RATE),
}


@pytest.mark.parametrize("name", COPIES)
def test_an_altered_copy(name):
    learned, judged, lag_s = COPIES[name]
    findings = leaks(audit(machine(a=learned.astype(np.float32), e=judged.astype(np.float32)), SPLIT))
    assert [(f.kind, f.recordings) for f in findings] == [("copied-signal", ("a", "e"))]
    evidence = findings[0].evidence
    assert evidence["lag_s"] == pytest.approx(lag_s, abs=2e-4)
    assert 0.9 < evidence["overlap_s"] <= SECONDS
    assert (evidence["correlation"] < 0) == (name in ("scaled and inverted", "all at once"))


@pytest.mark.parametrize(("up", "down", "rate"), [(15, 4, 48_000), (125, 24, Fraction(200_000, 3)), (5, 8, 8_000)])
def test_a_resampled_copy(up, down, rate):
    original = vibration(0)
    copy = recording("e", resample_poly(original[4000:], up, down), rate=rate)
    findings = leaks(audit(machine(e=copy), SPLIT))
    copied = [f for f in findings if f.kind == "copied-signal"]
    assert [f.recordings for f in copied] == [("a", "e")]
    assert copied[0].evidence["lag_s"] == pytest.approx(4000 / RATE, abs=2e-4)
    assert abs(copied[0].evidence["correlation"]) > 0.99


def test_a_copy_in_a_recording_of_minutes():
    minutes = vibration(20, seconds=150)
    part = 0.5 * minutes[100 * RATE : 102 * RATE]
    for learned, judged, sign in ((minutes, part, 1), (part, minutes, -1)):
        (finding,) = leaks(audit(machine(a=learned, e=judged), SPLIT))
        assert (finding.kind, finding.recordings) == ("copied-signal", ("a", "e"))
        assert finding.evidence["lag_s"] == pytest.approx(sign * 100, abs=2e-4)


def test_blows_that_ring_alike_are_no_copy():
    ring = np.exp(-np.arange(400) / 60) * np.sin(np.arange(400) / 3)
    signals = {}
    for seed, id in ((30, "a"), (31, "e")):
        blows = np.zeros(SECONDS * RATE)
        blows[[6_000, 20_000]] = 300
        signals[id] = (vibration(seed) + np.convolve(blows, ring)[: len(blows)]).astype(np.float32)
    assert audit(machine(**signals), SPLIT) == []


def test_what_cannot_be_compared_is_said():
    findings = audit(machine(a=np.zeros(38_400, np.float32), e=vibration(4, seconds=0.1)), SPLIT)
    (finding,) = [f for f in findings if f.kind == "not-compared"]
    assert (finding.severity, finding.recordings) == ("warning", ("a", "e"))


def test_without_signals_none_is_loaded():
    def load():
        raise RecordingError("loaded")

    parts = [replace(r, load=load) for r in machine()]
    assert audit(parts, SPLIT, signals=False) == []
    with pytest.raises(RecordingError, match="loaded"):
        audit(parts, SPLIT)


def test_progress_ends_where_it_said():
    steps = []
    audit(machine(), SPLIT, progress=lambda _, done, total, __: steps.append((done, total)))
    assert steps[-1] == (8, 8)
    assert steps == sorted(steps)


def test_ids_must_be_known_and_unique():
    with pytest.raises(ConfigError, match="names g, but there is no such recording"):
        audit(machine(), replace(SPLIT, evaluation=("g",)))
    with pytest.raises(ConfigError, match="same id"):
        audit([*machine(), machine()[0]], SPLIT)


def fold_split(name, recordings):
    """What a frozen fold makes of the recordings at hand."""
    fold = load_fold(name)
    support, evaluation = ([r.id for r in recordings if r.id in side] for side in (fold.supporting(), fold.evaluation))
    return Split(tuple(support), tuple(evaluation), fold.held_out)


@pytest.mark.parametrize(
    ("speed", "sides"), [("1000", (8, 20)), pytest.param(None, (48, 120), marks=pytest.mark.slow)], ids=["some", "all"]
)
@pytest.mark.parametrize("name", ["S1", *also(("S2",))])
def test_the_rig_s_folds_do_not_leak(name, speed, sides):
    every = simulated.recordings()
    at = [r for r in every if speed is None or (r.condition["rpm"], r.condition["torque"]) == (speed, "10")]
    split = fold_split(name, at)
    assert (len(split.support), len(split.evaluation)) == sides
    assert leaks(audit(at, split)) == []


def test_phm2009_does_not_leak(phm2009):
    # The most alike recordings there are: both repeats of the spur gears at one speed.
    at = [r for r in open_store(phm2009) if r.condition["shaft_hz"] == "40" and r.label.startswith("S")]
    for name in ("P1", "P2"):
        split = fold_split(name, at)
        assert (len(split.support), len(split.evaluation)) == (8, 16)
        assert leaks(audit(at, split)) == []


@pytest.mark.parametrize("name", ["C1", "C2"])
def test_cwru_does_not_leak(data, name):
    entries = cwru.RELEASE.index(data / "cwru").entries
    recordings = [Recording(e.id, e.read, cwru.RELEASE.rate, e.label, e.component, e.condition) for e in entries]
    findings = audit(recordings, fold_split(name, recordings))
    assert [(f.kind, f.severity) for f in findings] == [("shared-component", "limitation")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["P1", "P2"])
def test_the_whole_of_phm2009_does_not_leak(phm2009, name):
    recordings = open_store(phm2009)
    split = fold_split(name, recordings)
    assert (len(split.support), len(split.evaluation)) == (42, 140)
    assert leaks(audit(recordings, split)) == []
    known = {r.id: r for r in recordings}
    copied, beside = known[split.evaluation[70]], known[split.support[0]]
    stretch = partial(np.negative, copied.signal[20_000:200_000])
    planted = replace(beside, id="planted", load=stretch, label=copied.label, origin=Origin())
    (finding,) = leaks(audit([*recordings, planted], replace(split, support=(*split.support, "planted"))))
    assert (finding.kind, finding.recordings) == ("copied-signal", ("planted", copied.id))


def test_a_copy_of_several_axes_is_found_by_the_first():
    def several(id, seed, label):
        axes = {name: vibration(seed + i) for i, name in enumerate("xyz")}
        return replace(Recording.from_axes(axes, RATE, id, label), component=id)

    made = [
        several(f"{label}{i}", 100 * i + 10 * k, label) for i in range(2) for k, label in enumerate(("good", "worn"))
    ]
    split = Split(("good0", "worn0"), ("good1", "worn1"), "component")
    assert not [f for f in audit(made, split) if f.severity == "leak"]
    made[2] = replace(several("good1", 0, "good"), component="another")
    (leak,) = (f for f in audit(made, split) if f.severity == "leak")
    assert (leak.kind, leak.recordings) == ("identical-content", ("good0", "good1"))


def test_rounds_compare_two_recordings_once(monkeypatch):
    compared, outstanding = [], screen._outstanding

    def counted(spectra, rows, *rest):
        compared.append(len(rows))
        return outstanding(spectra, rows, *rest)

    monkeypatch.setattr(screen, "_outstanding", counted)
    made = machine(c=vibration(0, seconds=2))
    thirds = [Split(tuple(sorted(set("abcdef") - set(judged))), tuple(judged)) for judged in ("ae", "bf", "cd")]
    apart = [one for third in thirds for one in leaks(audit(made, third))]
    assert sum(compared) == 24 + 24  # every ordered pair of different thirds, as recorded and at other speeds
    compared.clear()
    (found,) = leaks(audit_splits(made, thirds))
    assert sum(compared) == 13 + 24  # only the two that are alike are looked at again
    assert (found.rounds, len(apart)) == (2, 2)
    assert set(found.recordings) == set(apart[0].recordings) == set(apart[1].recordings) == {"a", "c"}
