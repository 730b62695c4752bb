import json

import pytest

from dualres.errors import OutputError
from dualres.explain.trend.kept import KeptLevels
from dualres.recordings.labels.read import LabelRow
from tests.explain.trend.made_series import points

LEVELS = points([0.0])[0].levels


def test_levels_are_known_again_until_the_file_or_the_question_changes(tmp_path):
    file, path = tmp_path / "a.wav", tmp_path / "kept.json"
    file.write_bytes(b"1")
    kept = KeptLevels(path, "asked")
    kept.keep(LabelRow(file), {"": LEVELS})
    kept.write()
    assert KeptLevels(path, "asked").of(LabelRow(file)) == {"": LEVELS}
    assert KeptLevels(path, "asked otherwise").of(LabelRow(file)) is None
    assert KeptLevels(path, "asked").of(LabelRow(file, {"condition": {"bearing": "6205"}})) is None
    file.write_bytes(b"22")
    assert KeptLevels(path, "asked").of(LabelRow(file)) is None


def test_nothing_new_writes_nothing(tmp_path):
    KeptLevels(tmp_path / "kept.json", "").write()
    assert not (tmp_path / "kept.json").exists()


@pytest.mark.parametrize("content", ["my notes", "{}", '{"format": "another"}', "[]"])
def test_another_file_is_not_replaced(tmp_path, content):
    path = tmp_path / "notes.json"
    path.write_text(content)
    with pytest.raises(OutputError, match="holds no levels of dualres trend"):
        KeptLevels(path, "")
    assert path.read_text() == content


def test_levels_of_another_version_are_read_anew(tmp_path):
    file, path = tmp_path / "a.wav", tmp_path / "kept.json"
    file.write_bytes(b"1")
    kept = KeptLevels(path, "")
    kept.keep(LabelRow(file), {"": LEVELS})
    kept.write()
    data = json.loads(path.read_text())
    data["levels"] = {key: {"": {"rms": 1}} for key in data["levels"]}
    path.write_text(json.dumps(data))
    assert KeptLevels(path, "").of(LabelRow(file)) is None
