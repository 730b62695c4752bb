"""What has changed since a version: no less, and not everything."""

import pytest

from dualres.web import changes
from dualres.web.changes import ChangeLog


def test_changes_add_up_and_what_came_back_has_changed() -> None:
    log = ChangeLog()
    begin = log.version
    log.note(["a", "b"])
    log.note([], ["b", "c"])
    log.note(["c"])
    found = log.since(begin, log.epoch)
    assert (found.version, set(found.changed or ()), set(found.removed)) == (log.version, {"a", "c"}, {"b"})
    assert log.since(log.version, log.epoch).changed == []
    log.note([])
    assert log.since(found.version, log.epoch).version == found.version


def test_facts_of_files_are_no_news_of_the_list() -> None:
    log = ChangeLog()
    begin = log.version
    log.note_facts("a")
    assert log.since(begin, log.epoch).changed == ["a"]
    assert log.said_since(begin, log.epoch) == set()
    log.note(["b"], ["c"])
    assert log.said_since(begin, log.epoch) == {"b", "c"}


def test_who_is_too_far_behind_or_of_another_time_asks_for_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "KEPT", 5)
    log = ChangeLog()
    begin = log.version
    for number in range(4):
        log.note([f"a{number}", f"b{number}"])
    assert log.since(begin, log.epoch).changed is None
    assert log.since(log.version - 1, log.epoch).changed == ["a3", "b3"]
    for version, epoch in ((log.version, "another"), (log.version + 1, log.epoch), (-1, log.epoch)):
        assert log.since(version, epoch).changed is None
        assert log.said_since(version, epoch) is None
