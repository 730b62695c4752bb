"""Commands that the page runs: what they tell, how they end, and that they can be cancelled."""

import math
import threading
from pathlib import Path
from typing import Any

import pytest

from dualres.errors import ConfigError
from dualres.web.background import AT_ONCE, BackgroundCommand, Commands, _understand
from tests.web.served import folder_of_tones


class News:
    """What pages would be told, and a way to wait for the end."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.ended = threading.Event()

    def __call__(self, kind: str, data: dict[str, Any]) -> None:
        assert kind == "command"
        self.told.append(data)
        if data["state"] != "running":
            self.ended.set()


def test_progress_is_understood_and_sentences_are_kept() -> None:
    one = BackgroundCommand(1, "fit", "Fit")
    for line in (
        '{"stage": "Learn", "done": 1, "total": 3, "remark": "loss 0.5", "left_s": 2.0}',
        "warning  all labels share one load",
        '{"stage": "Learn", "done": 2, "total": 3, "remark": "loss 0.25", "left_s": null}',
        '{"other": 1}',
        "",
    ):
        _understand(one, line)
    assert (one.stage, one.done, one.total, one.left_s, one.losses) == ("Learn", 2, 3, None, [0.5, 0.25])
    assert one.messages == ["warning  all labels share one load"]
    _understand(one, '{"stage": "Judge", "done": 0, "total": 1, "remark": ""}')
    assert one.losses == []


def test_a_command_ends_with_what_it_printed(tmp_path: Path) -> None:
    news, followed = News(), []
    commands = Commands(folder_of_tones(tmp_path / "tones", 1), news)
    one = commands.start("show", "Show", ["show", "tone0.wav"], followed.append)
    assert news.ended.wait(60)
    assert commands.described() == [one.as_data()]
    assert one.state == "done"
    assert "tone0.wav" in str(one.result)
    assert followed == [one]


def test_what_went_wrong_is_told(tmp_path: Path) -> None:
    news = News()
    commands = Commands(folder_of_tones(tmp_path / "tones", 1), news)
    commands.start("show", "Show", ["show", "nothing.wav"])
    assert news.ended.wait(60)
    assert news.told[-1]["state"] == "failed"
    assert "there is no such file" in " ".join(news.told[-1]["messages"])


def test_few_run_at_a_time_and_all_can_be_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dualres.web.background.AT_ONCE", 1)
    news = News()
    commands = Commands(folder_of_tones(tmp_path / "tones", 1), news)
    one = commands.start("watch", "Watch", ["watch", "nothing.safetensors", "udp://127.0.0.1:9"])
    with pytest.raises(ConfigError, match="Watch is still going on"):
        commands.start("show", "Show", ["show", "tone0.wav"])
    commands.end()
    assert news.ended.wait(60)
    assert one.state in ("cancelled", "failed")
    with pytest.raises(ConfigError, match="no command number 9"):
        commands.get(9)


def test_a_folder_that_was_renamed_costs_no_place_among_the_few(tmp_path: Path) -> None:
    folder, news = folder_of_tones(tmp_path / "tones", 1), News()
    commands = Commands(folder, news)
    folder.rename(tmp_path / "elsewhere")
    for _ in range(AT_ONCE + 1):
        with pytest.raises(ConfigError, match=r"Show could not be started: .*tones: No such file or directory"):
            commands.start("show", "Show", ["show", "tone0.wav"])
    assert commands.described() == []
    (tmp_path / "elsewhere").rename(folder)
    commands.start("show", "Show", ["show", "tone0.wav"])
    assert news.ended.wait(60)
    assert news.told[-1]["state"] == "done"


NONSENSE = """
import json, subprocess, sys
for line in ({"stage": "Learn"}, {"stage": 1, "done": 2, "total": 3, "remark": "loss much"}, {"stage": [], "done": 0}):
    print(json.dumps(line), file=sys.stderr)
print("a sentence", file=sys.stderr)
print('{"score": NaN}')
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])  # holds both channels open
"""


def test_a_command_that_has_ended_is_not_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it said, and whatever it left behind."""
    monkeypatch.setattr("dualres.web.background.LAST_WORDS_S", 0.3)
    package = tmp_path / "package" / "dualres"
    (package / "cli").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "cli" / "__init__.py").touch()
    (package / "cli" / "__main__.py").write_text(NONSENSE)
    monkeypatch.setattr("dualres.web.background.__file__", str(package / "web" / "background.py"))
    news = News()
    commands = Commands(folder_of_tones(tmp_path / "tones", 1), news)
    one = commands.start("show", "Show", ["show", "tone0.wav"])
    assert news.ended.wait(30)
    assert (one.state, one.messages) == ("done", ["a sentence"])
    assert math.isnan(one.result["score"])
    commands.end()
    with pytest.raises(ConfigError, match="the page is ending"):
        commands.start("show", "Show", ["show", "tone0.wav"])
