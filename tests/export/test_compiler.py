import pytest

from dualres.errors import ExportError
from dualres.export.c99 import write_c99
from dualres.export.compiler import host_compiler


def program(path, script):
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_a_command_that_cannot_be_split_is_named(monkeypatch):
    monkeypatch.setenv("CC", "gcc 'oops")
    with pytest.raises(ExportError, match=r"\$CC is .*oops.* no command"):
        host_compiler()


def test_what_a_compiler_refuses_is_told(model, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", program(tmp_path / "cc", "echo 'no such thing' >&2; exit 1"))
    with pytest.raises(ExportError, match="could not be compiled:\nno such thing"):
        write_c99(model, tmp_path / "board")
    assert not (tmp_path / "board").exists()


def test_a_check_for_another_machine_cannot_be_run(model, compiler, tmp_path, monkeypatch):
    script = 'for last; do :; done; printf "\\177ELF of another machine" > "$last"; chmod +x "$last"'
    monkeypatch.setenv("CC", program(tmp_path / "cc", script))
    with pytest.raises(ExportError, match=r"could not be run .*cross compiler in \$CC.*noexec"):
        write_c99(model, tmp_path / "board")


def test_a_check_that_dies_is_not_confirmed(model, compiler, tmp_path, monkeypatch):
    script = 'for last; do :; done; printf \'#!/bin/sh\\nkill -SEGV $$\\n\' > "$last"; chmod +x "$last"'
    monkeypatch.setenv("CC", program(tmp_path / "cc", script))
    with pytest.raises(ExportError, match=r"float samples is not confirmed(.|\n)*signal 11"):
        write_c99(model, tmp_path / "board")
