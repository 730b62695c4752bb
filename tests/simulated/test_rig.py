from collections import Counter

import numpy as np
import pytest
from scipy.stats import kurtosis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dualres.bench.datasets.folds import load_fold
from dualres.config import ModelConfig, Recipe
from dualres.learn.fit import fit_network
from dualres.learn.fold import Budget
from dualres.learn.fold_support import evaluate, gather_support
from dualres.metrics import confusion, macro_f1
from dualres.recordings.windows import at_rate, cut, half_overlapping
from dualres.simulated import rig as simulated
from tests.models import model_of

PAPER = ModelConfig()
CHANCE = 1 / 8


def test_the_inventory():
    recordings = simulated.recordings()
    assert len(recordings) == len({r.id for r in recordings}) == 240
    counts = Counter(r.label for r in recordings)
    assert counts == {c: 12 if c in simulated.WITHOUT_SEVERITY else 36 for c in simulated.CLASSES}
    assert Counter(r.condition["mode"] for r in recordings) == {"speed": 120, "torque": 120}
    assert {r.rate for r in recordings} == {12_800}


@pytest.mark.parametrize("number", [0, 7, 101, 239])
def test_the_speed_is_that_of_the_shaft_that_carries_the_faults(number):
    """As the signal was simulated, sample by sample."""
    setting, recording = list(simulated.settings())[number], simulated.recordings()[number]
    speed, t = recording.speed, np.arange(simulated.DURATION * simulated.RATE) / simulated.RATE
    motor, _ = simulated._operate(setting, simulated.physics.generator(simulated.SEED, setting.id), t)
    windows = motor[: 23 * 6400].reshape(23, 6400).mean(1) * 29 / 95
    np.testing.assert_allclose(speed.over(0.5 * np.arange(23), 0.5), windows, rtol=0.01)
    assert speed.source == "measured"
    assert (max(speed.hz) > 1.5 * min(speed.hz)) == (setting.mode == "speed")


def test_a_recording_is_twelve_seconds_and_the_same_each_time():
    recording = simulated.recordings()[100]
    signal = recording.signal
    assert signal.shape == (12 * 12_800,)
    assert signal.dtype == np.float32
    assert np.isfinite(signal).all()
    assert np.array_equal(signal, recording.signal)
    assert not np.array_equal(signal, simulated.recordings(seed=1)[100].signal)


@pytest.mark.parametrize(
    "setting", [s for s in simulated.settings() if s.rpm == 2000 and s.torque == 20], ids=lambda s: s.id
)
def test_the_intermediate_shaft_s_mesh_stands_out_in_every_state(setting):
    """36 teeth at 2000 / 60 * 29 / 95 revolutions per second, less what the motor slips."""
    steady = simulated.simulate(setting)[2 * 12_800 : 4 * 12_800]
    spectrum = np.abs(np.fft.rfft(steady * np.hanning(len(steady))))
    hz = np.fft.rfftfreq(len(steady), 1 / 12_800)
    mesh = 36 * 2000 / 60 * 29 / 95
    near, around = (np.abs(hz - mesh) < mesh * reach for reach in (0.03, 0.2))
    assert spectrum[near].max() > 2.5 * np.median(spectrum[around])


def repetition(setting, orders):
    """How far lines at these multiples of the intermediate shaft's speed stand out of the envelope's spectrum."""
    steady = simulated.simulate(setting)[2 * 12_800 : 4 * 12_800].astype(float)
    envelope = np.abs(steady - steady.mean())
    spectrum = np.abs(np.fft.rfft((envelope - envelope.mean()) * np.hanning(len(envelope))))
    hz = np.fft.rfftfreq(len(envelope), 1 / 12_800)
    shaft = setting.rpm / 60 * 29 / 95
    lines = [spectrum[np.abs(hz - k * shaft) < 0.02 * k * shaft].max() for k in orders]
    return np.mean(lines) / np.median(spectrum[(hz > orders[0] * shaft) & (hz < orders[-1] * shaft)])


def test_tooth_faults_repeat_with_every_revolution():
    revolutions = range(4, 12)
    healthy = repetition(simulated.RigSetting("healthy", None, "torque", 3000, 20), revolutions)
    for label, severity in (("break", "H"), ("missing_teeth", None)):
        assert repetition(simulated.RigSetting(label, severity, "torque", 3000, 20), revolutions) > 1.5 * healthy


@pytest.mark.parametrize(
    ("ring", "orders"),
    [("inner", (4.43, 5.43, 6.43, 9.86, 10.86, 11.86)), ("outer", (3.57, 7.14))],  # inner: with its load-zone sidebands
)
def test_rolling_elements_repeat_at_their_order(ring, orders):
    def mean(label):
        settings = [simulated.RigSetting(label, "H", "torque", rpm, 10) for rpm in simulated.SPEEDS]
        return np.mean([repetition(setting, orders) for setting in settings])

    assert mean(f"break+{ring}") > 1.3 * mean("break")


def test_amplifiers_and_sensors_differ():
    signals = [r.signal for r in simulated.recordings()[::6]]
    levels = np.array([s.std() for s in signals])
    assert levels.max() / levels.min() > 3
    assert np.std([s.mean() for s in signals]) > 0.1
    clipped = [max(np.mean(s == s.max()), np.mean(s == s.min())) > 2 / len(s) for s in signals]
    assert 0 < np.mean(clipped) < 0.5


def summary(windows):
    """What no method should be able to live on: RMS, kurtosis and crest factor of each window."""
    centred = windows - windows.mean(1, keepdims=True, dtype=float)
    rms = centred.std(1)
    return np.stack([np.log(rms), kurtosis(centred, axis=1), np.abs(centred).max(1) / rms], axis=1)


def trivial_scores(fold, recordings, support):
    """Macro-F1 of two classifiers on these three numbers, judged like any method."""
    features, truth = [], []
    for recording in (r for r in recordings if r.id in set(fold.evaluation)):
        signal = at_rate(recording, PAPER.rate, PAPER.window)
        windows = cut(signal, half_overlapping(len(signal), PAPER.window, fold.evaluation_windows), PAPER.window)
        features.append(summary(windows))
        truth.append(fold.classes.index(recording.label))
    learners = (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        RandomForestClassifier(300, random_state=0),
    )
    for learner in learners:
        learner.fit(summary(support.windows), support.labels)
        verdicts = [learner.predict_proba(f).mean(0).argmax() for f in features]
        yield macro_f1(confusion(truth, verdicts, len(fold.classes)))


def compare(name, updates):
    """The best trivial score and DualRes's, on one fold."""
    fold, recordings = load_fold(name), simulated.recordings()
    support = gather_support(fold, recordings, Budget(3, 4), PAPER)
    fitted = fit_network(support.windows, support.labels, len(fold.classes), recipe=Recipe(updates))
    dualres = macro_f1(evaluate(model_of(fitted.network, fold.classes), fold, recordings).confusion)
    return max(trivial_scores(fold, recordings, support)), dualres


@pytest.mark.parametrize(
    ("updates", "better"),
    [pytest.param(120, 1.4, marks=pytest.mark.exhaustive), pytest.param(300, 1.5, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("name", ["S1", "S2"])
def test_faults_show_in_the_signal_and_not_in_trivial_cues(name, updates, better):
    trivial, dualres = compare(name, updates)
    assert trivial < 2.2 * CHANCE
    assert better * trivial < dualres < 0.9
