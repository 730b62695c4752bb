"""The family of simulated machines: what is known of real ones is found in it, and no cue that a real one lacks."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from scipy.signal import butter, hilbert, sosfilt
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dualres.errors import ConfigError
from dualres.metrics import confusion, macro_f1
from dualres.simulated import machines
from dualres.simulated.machines import Bearing, MachineSetting, held_out, machine, recordings, settings, simulate

SOME = [machine(number) for number in (0, 2, 3, 4, 5)]
some_machines = pytest.mark.parametrize("one", SOME, ids=lambda one: one.name)


def test_a_bearing_s_rates_are_those_of_its_maker():
    """SKF 6205, the drive end's bearing of CWRU: nine balls of 0.3126 in on a circle of 1.537 in."""
    bearing = Bearing(9, 0.3126 / 1.537, 0.0)
    found = (bearing.inner, bearing.outer, bearing.cage, 2 * bearing.spin)
    assert found == pytest.approx((5.4152, 3.5848, 0.39828, 4.7135), rel=1e-3)


def test_machines_differ_and_each_stays_what_it_is():
    family = [machine(number) for number in range(40)]
    assert family == [machine(number) for number in range(40)]
    assert machine(3, seed=1) != machine(3)
    assert {one.rate for one in family} == set(machines.RATES)
    assert len({one.bearing for one in family}) == len({one.speeds for one in family}) == 40
    assert {one.teeth is None for one in family} == {True, False}
    assert {name for one in family for name in one.classes} == {
        *("good", "unbalance", "misalignment", "bent_shaft", "looseness"),
        *("inner", "outer", "ball", "broken_tooth", "wear"),
    }
    for one in family:
        assert ("wear" in one.classes) == ("broken_tooth" in one.classes) == (one.teeth is not None)
        assert all(faster > 1.1 * slower for slower, faster in pairwise(one.speeds))
        assert 2 <= one.seconds <= 4


@some_machines
def test_the_inventory(one):
    found = recordings(one)
    assert len({r.id for r in found}) == len(found) == 12 * len(one.classes)
    assert Counter(r.label for r in found) == dict.fromkeys(one.classes, 12)
    assert Counter(r.component for r in found) == {
        f"{one.name}_{label}_{severity}": 6 for label in one.classes for severity in machines.SEVERITIES
    }
    assert {r.rate for r in found} == {one.rate}


def test_the_speed_is_the_condition_s():
    for recording in recordings(machine(10)):
        assert recording.speed.rpm == pytest.approx(float(recording.condition["speed"]))


def test_a_recording_is_the_same_each_time_and_on_no_other_machine():
    first, again = recordings(machine(1))[7], recordings(machine(1))[7]
    assert first.id == again.id
    assert np.array_equal(first.signal, again.signal)
    assert first.signal.dtype == np.float32
    assert first.length == round(machine(1).seconds * machine(1).rate)
    one = machine(1)
    setting = settings(one)[7]
    for other in (machines.Machine(**{**vars(one), "number": 2}), machines.Machine(**{**vars(one), "seed": 1})):
        assert abs(np.corrcoef(simulate(one, setting), simulate(other, setting))[0, 1]) < 0.5


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("unit", "key"), [("load", "load"), ("speed", "speed"), ("specimen", "severity")])
def test_what_is_judged_is_at_a_load_or_speed_or_of_a_specimen_never_learned_from(unit, key, reverse):
    one = machine(4)
    support, evaluation = held_out(recordings(one), unit, reverse)
    learned, judged = ({r.condition[key] for r in part} for part in (support, evaluation))
    assert len(judged) == 1
    assert not learned & judged
    assert {r.label for r in support} == {r.label for r in evaluation} == set(one.classes)
    assert sorted(r.id for r in support + evaluation) == sorted(r.id for r in recordings(one))
    if unit == "specimen":
        assert not {r.component for r in support} & {r.component for r in evaluation}
    else:
        highest = {"load": one.loads, "speed": one.speeds}[unit]
        assert judged == {str(highest[0 if reverse else -1])}


def test_what_cannot_be_held_out_is_an_error_that_says_what_can():
    with pytest.raises(ConfigError, match=r"'weather'.*load, speed, specimen"):
        held_out(recordings(machine(4)), "weather")


def shaft_hz(setting):
    """The shaft's rate, less what the motor slips."""
    return setting.speed / 60 * (1 - 0.012 * setting.load / 100)


def stands_out(signal, rate, hz):
    """By how much a line at `hz`, give or take 1.2 %, exceeds what is around it."""
    spectrum = np.abs(np.fft.rfft((signal - signal.mean()) * np.hanning(len(signal))))
    off = np.abs(np.fft.rfftfreq(len(signal), 1 / rate) - hz)
    return spectrum[off < 0.012 * hz + 0.5].max() / np.median(spectrum[off < 0.15 * hz + 5])


def envelope(signal, rate):
    """How the ringing above 800 Hz rises and falls."""
    return np.abs(hilbert(sosfilt(butter(4, 800, "high", fs=rate, output="sos"), signal.astype(float))))


def in_envelope(one, setting, order):
    return stands_out(envelope(simulate(one, setting), one.rate), one.rate, order * shaft_hz(setting))


def in_spectrum(one, setting, order):
    return stands_out(simulate(one, setting), one.rate, order * shaft_hz(setting))


def heavy(one, label):
    """The heavy specimen at the highest load and each speed."""
    return [MachineSetting(label, "heavy", speed, one.loads[1]) for speed in one.speeds]


@some_machines
@pytest.mark.parametrize("fault", machines.BEARING_FAULTS)
def test_a_bearing_s_fault_repeats_where_kinematics_puts_it_and_nowhere_in_a_good_one(one, fault):
    order = one.bearing.strikes(fault)
    damaged = np.median([in_envelope(one, setting, order) for setting in heavy(one, fault)])
    good = np.median([in_envelope(one, setting, order) for setting in heavy(one, "good")])
    assert damaged > 4
    assert good < 4
    assert damaged > 2 * good


def test_a_load_zone_puts_sidebands_around_the_lines_of_an_inner_ring_and_of_a_ball():
    """The first at the shaft's rate, the second at the cage's."""
    for fault, step in (("inner", lambda bearing: 1.0), ("ball", lambda bearing: bearing.cage)):
        sides = [
            in_envelope(one, heavy(one, fault)[2], one.bearing.strikes(fault) + sign * step(one.bearing))
            for one in SOME
            for sign in (-1, 1)
        ]
        assert np.median(sides) > 3, fault


@some_machines
def test_every_shaft_turns_at_its_rate_and_misalignment_doubles_it(one):
    for label, order in (("unbalance", 1), ("misalignment", 2)):
        faulty = np.median([in_spectrum(one, setting, order) for setting in heavy(one, label)])
        good = np.median([in_spectrum(one, setting, order) for setting in heavy(one, "good")])
        assert faulty > 10
        assert faulty > 1.2 * good


def test_looseness_has_half_orders_and_nothing_else_has():
    loose = [one for one in SOME if "looseness" in one.classes]
    assert loose
    for one in loose:
        for label in one.classes:
            line = np.median([in_spectrum(one, setting, 1.5) for setting in heavy(one, label)])
            assert (line > 5) == (label == "looseness"), label


def test_gears_mesh_where_there_are_any_and_a_broken_tooth_strikes_every_turn():
    geared = [one for one in SOME if one.teeth]
    assert geared
    for one in geared:
        teeth, _ = one.teeth
        assert np.median([in_spectrum(one, setting, teeth) for setting in heavy(one, "good")]) > 10

        def turns(label, one=one):
            return np.mean([in_envelope(one, heavy(one, label)[2], order) for order in range(4, 9)])

        assert turns("broken_tooth") > 1.5 * turns("good")


def test_a_load_moves_and_mixes_the_modes_more_than_an_assembly_does():
    def apart(one, first, second):
        """How far modes lie apart, as a share, and how differently forces reach them, in nats."""
        first, second = machines._Structure(one, first), machines._Structure(one, second)
        mixed = [np.log(second.shares[force] / share) for force, share in first.shares.items()]
        return np.std(np.log(second.hz / first.hz)), np.std(mixed)

    loads, assemblies = [], []
    for one in SOME:
        (low, high), speed = one.loads, one.speeds[1]
        usual = MachineSetting("good", "light", speed, low)
        loads.append(apart(one, usual, MachineSetting("good", "light", speed, high)))
        assemblies.append(apart(one, usual, MachineSetting("good", "heavy", speed, low)))
        assert apart(one, usual, MachineSetting("good", "light", one.speeds[2], low)) == (0, 0)
    assert (np.mean(loads, axis=0) > np.mean(assemblies, axis=0)).all()
    assert (np.mean(assemblies, axis=0) > 0).all()


def trivial(signal):
    """What no method should be able to live on: level, mean and crest factor."""
    centred = signal - signal.mean()
    return np.log(centred.std()), signal.mean(), np.abs(centred).max() / centred.std()


def bands(signal):
    """The mean spectrum in 60 bands, in nats."""
    power = np.abs(np.fft.rfft(signal - signal.mean())) ** 2
    return np.log([band.mean() for band in np.array_split(power / power.mean(), 60)])


def score(one, features):
    """Macro-F1 of a linear model over held-out loads, both ways; `features` by recording."""
    scores = []
    for reverse in (False, True):
        support, evaluation = held_out(recordings(one), "load", reverse)
        learner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        learner.fit([features[r.id] for r in support], [one.classes.index(r.label) for r in support])
        truth = [one.classes.index(r.label) for r in evaluation]
        verdicts = learner.predict([features[r.id] for r in evaluation]).tolist()
        scores.append(macro_f1(confusion(truth, verdicts, len(one.classes))))
    return np.mean(scores)


@pytest.mark.exhaustive
def test_level_mean_and_crest_tell_no_fault_and_spectra_tell_some():
    scores = []
    for one in SOME[:4]:
        signals = {r.id: r.signal.astype(float) for r in recordings(one)}
        looked_at = (trivial, bands)
        found = [score(one, {name: of(signal) for name, signal in signals.items()}) for of in looked_at]
        scores.append(np.array(found) * len(one.classes))  # in multiples of chance
    cues, spectra = np.mean(scores, axis=0)
    assert cues < 1.5
    assert 1.7 < spectra < 6


def test_a_machine_wears_out_at_a_steady_gain():
    """No two moments are alike, a fault of no size is none, and a larger one is louder."""
    one = SOME[0]
    outer = MachineSetting("outer", "heavy", one.speeds[1], one.loads[1])
    new, later, worn, failed = (
        machines.worn(one, outer, size, moment) for size, moment in ((0, "a"), (0, "b"), (1, "b"), (10, "b"))
    )
    assert not np.array_equal(new, later)
    assert later.std() == pytest.approx(new.std(), rel=0.3)
    assert later.std() < worn.std() < failed.std()
    assert np.array_equal(worn, machines.worn(one, outer, 1, "b"))
