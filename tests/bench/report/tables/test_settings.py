import pytest

from dualres.bench.report.tables.settings import Settings, read_settings
from dualres.errors import ConfigError


def test_settings_are_read_as_they_were_written(tmp_path):
    settings = Settings(("pilot", "bearing"), quick=True, device="cuda", threads=4)
    (tmp_path / "settings.json").write_text(settings.as_json())
    assert read_settings(tmp_path) == settings


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        '{"studies": ["pilot"], "mood": "good"}',
        '{"studies": ["alchemy"]}',
        '{"studies": [[]]}',
        '{"studies": ["pilot"], "device": "tpu"}',
        '{"studies": ["pilot"], "threads": "two"}',
    ],
)
def test_settings_that_no_report_has_are_refused_in_a_sentence(tmp_path, content):
    (tmp_path / "settings.json").write_text(content)
    with pytest.raises(ConfigError, match="dualres bench report"):
        read_settings(tmp_path)


def test_missing_settings_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(ConfigError, match=r"settings\.json: cannot be read"):
        read_settings(tmp_path)
