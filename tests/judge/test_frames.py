import numpy as np
import pandas as pd
import pytest

from dualres import Recording, Verdict, diagnose_recording, explain_recording, to_frame
from dualres.errors import ConfigError, RecordingError
from dualres.judge.trust.calibration import NAMED, Answer
from dualres.recordings.speed import Speed
from dualres.utils import optional_imports
from tests.model.made_views import machine_windows, made_views
from tests.models import model_of

SIGNAL = machine_windows(1, 3)[1]


@pytest.fixture(scope="module")
def model():
    return model_of(made_views(3), ("good", "worn", "broken"))


@pytest.fixture
def frame():
    made = pd.DataFrame({"x": SIGNAL})
    made.attrs.update(rate=64_000, id="pump")
    return made


def test_a_table_is_judged_and_explained_as_the_recording_it_holds(model, frame):
    recording = Recording.from_array(SIGNAL, 64_000, "pump")
    assert diagnose_recording(model, frame) == diagnose_recording(model, recording)
    assert explain_recording(model, frame) == explain_recording(model, recording)
    del frame.attrs["rate"]
    with pytest.raises(RecordingError, match="nothing says its sampling rate"):
        diagnose_recording(model, frame)


def test_verdicts_are_a_table_with_a_row_each(model, frame):
    plain = diagnose_recording(model, frame)
    answer = Answer(NAMED, ("good",), 0.1, promise="component", names=True, probability=0.8)
    named = Verdict("fan", "good", {"good": 0.9, "other": 0.1}, 3, answer=answer, speed=Speed((25.0,)))
    table = to_frame(iter([plain, named]))
    assert list(table.index) == ["pump", "fan"]
    assert table.index.name == "recording"
    assert list(table.verdict) == [plain.label, "good"]
    assert list(table.windows) == [plain.windows, 3]
    assert table.p_worn.iloc[0] == plain.probabilities["worn"]
    assert np.isnan(table.p_worn.iloc[1])
    assert dict(table.loc["fan", ["answer", "set", "error", "promise", "calibrated", "rpm"]]) == {
        "answer": "named",
        "set": "good",
        "error": 0.1,
        "promise": "component",
        "calibrated": 0.8,
        "rpm": 1500,
    }
    assert np.isnan(table.loc["pump", ["error", "rpm"]].astype(float)).all()
    pd.testing.assert_frame_equal(plain.to_frame(), to_frame([plain]))
    assert to_frame([]).empty


def test_without_pandas_the_extra_is_named(model, frame, monkeypatch):
    monkeypatch.setattr(optional_imports, "is_there", lambda library: library != "pandas")
    with pytest.raises(ConfigError, match=r"^to_frame needs pandas: pip install 'dualres\[notebook\]'$"):
        diagnose_recording(model, frame).to_frame()
