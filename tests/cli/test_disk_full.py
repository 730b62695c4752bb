"""A disk that fills up while a command works: what took long to make is kept, and the error says where."""

import errno
import os
import re
import sys
import tempfile
from unittest.mock import Mock

import pytest

from dualres import cli, load
from dualres.cli import commands
from dualres.errors import OutputError
from dualres.fit_page import page as fit_page
from tests.cli.runner import done, run
from tests.utils.test_files import fail_first

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "temporary"


def test_a_fitted_model_is_kept(machines, tmp_path, elsewhere, monkeypatch):
    out = tmp_path / "pump.safetensors"
    out.write_bytes(b"an earlier model")
    fail_first(monkeypatch, FULL)
    result = run("fit", machines, "-o", out, "--windows", 2, "--no-estimate", "--no-page")
    assert isinstance(result.exception, OutputError)
    said = str(result.exception)
    assert re.search(rf"No space left on device\); [\d,]+ bytes are needed in {tmp_path}", said)
    (kept,) = elsewhere.rglob("pump.safetensors")
    assert said.endswith(f"It was kept: {kept}")
    assert load(kept).card.classes == ("good", "worn")
    assert out.read_bytes() == b"an earlier model"


def test_a_report_that_does_not_fit_leaves_a_complete_model(machines, tmp_path, elsewhere, monkeypatch):
    write = fit_page.write_whole

    def full(*given, **named):
        fail_first(monkeypatch, FULL)
        write(*given, **named)

    monkeypatch.setattr(fit_page, "write_whole", full)
    out = tmp_path / "pump.safetensors"
    result = done("fit", machines, "-o", out, "--windows", 2, "--no-estimate")
    (kept,) = elsewhere.rglob("pump.html")
    assert f"It was kept: {kept}. The model is complete" in result.stderr
    assert f"Model  {out}" in result.stdout
    assert "Report" not in result.stdout
    assert load(out).card.classes == ("good", "worn")


def test_an_onnx_file_is_kept(views, tmp_path, elsewhere, monkeypatch):
    pytest.importorskip("onnxruntime")
    fail_first(monkeypatch, FULL)
    result = run("export", views[1], tmp_path / "pump.onnx", "--to", "onnx")
    (kept,) = elsewhere.rglob("pump.onnx")
    assert str(result.exception).endswith(f"It was kept: {kept}")
    assert not (tmp_path / "pump.onnx").exists()


def test_scratch_files_without_room_are_a_sentence_too_and_no_other_error_is(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["dualres"])
    monkeypatch.setattr(commands, "app", Mock(side_effect=FULL))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert f"{tempfile.gettempdir()}: no room is left to write (No space left on device)" in capsys.readouterr().err
    monkeypatch.setattr(commands, "app", Mock(side_effect=OSError(errno.EIO, os.strerror(errno.EIO))))
    with pytest.raises(OSError, match="Input/output error"):
        cli.main()
