import pytest

from dualres.advise.advice import advise
from dualres.errors import RecordingError
from tests.advise.made import made


def test_advice_on_a_machine():
    known = [made(label, seed) for label in ("good", "worn") for seed in range(3)]
    new = [made("good", 8, known=False), made("broken", 9, known=False), made("good", 8, speed=2, known=False)]
    advice = advise([*known, *new], count=2)
    assert (advice.labelled, advice.unlabelled) == (6, 3)
    assert [recording.id for recording, _ in advice.picks] == ["good8 at 2", "broken9 at 1"]
    assert advice.curve is not None
    assert advice.refusal == ""


def test_without_any_label_there_is_a_list_and_no_curve():
    advice = advise([made("good", 1, known=False), made("worn", 2, known=False)], count=5)
    assert len(advice.picks) == 2
    assert advice.curve is None
    assert "not known before" in advice.refusal


def test_where_all_is_labelled_there_is_nothing_to_choose():
    with pytest.raises(RecordingError, match="every recording has a label"):
        advise([made("good", 1)])
