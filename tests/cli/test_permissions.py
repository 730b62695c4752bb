"""What belongs to somebody else: said in a sentence, and at the cost of nothing but itself."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.cli.runner import done

# Root may read everything; without its capabilities it is a user as others are.
PLAIN = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]
pytestmark = pytest.mark.skipif(
    os.name != "posix" or (os.geteuid() == 0 and not shutil.which("setpriv")), reason="root may read everything"
)


def said(*arguments, cwd):
    """Exit status, output and errors of a command of a user whom permissions bind."""
    prefix = PLAIN if os.geteuid() == 0 else []
    command = [*prefix, sys.executable, "-m", "dualres.cli", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env={**os.environ, "COLUMNS": "300"})
    assert "Traceback" not in result.stderr
    return result.returncode, result.stdout, result.stderr


@pytest.fixture
def folder(machines, tmp_path):
    """Recordings in two subfolders, of which one is to be closed."""
    for label in ("good", "worn"):
        (tmp_path / label).mkdir()
        for file in sorted(machines.glob(f"{label}*.wav"))[:2]:
            shutil.copy(file, tmp_path / label)
    yield tmp_path
    for one in (tmp_path, tmp_path / "good", tmp_path / "worn"):
        one.chmod(0o755)


def test_a_file_that_may_not_be_read_keeps_nobody_from_judging_the_others(views, folder):
    (folder / "good" / "good0.wav").chmod(0)
    status, out, err = said("diagnose", views[1], "good/good0.wav", "good/good1.wav", cwd=folder)
    assert status == 1
    assert out.startswith("good/good1.wav  good")
    assert "good/good0.wav: cannot be read (Permission denied)" in err


@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111])  # of which the second may be listed, and the third entered
def test_a_folder_that_may_not_be_opened_is_told_of(views, folder, mode):
    (folder / "worn").chmod(mode)
    status, out, err = said("diagnose", views[1], ".", cwd=folder)
    assert status == 1
    assert [line.split()[0] for line in out.splitlines()] == ["good/good0.wav", "good/good1.wav"]
    assert "worn: is a folder that you may not open; ask its owner to let you" in err


def test_a_class_that_may_not_be_opened_is_not_left_out_in_silence(folder):
    (folder / "worn").chmod(0)
    status, out, _ = said("show", ".", cwd=folder)
    assert status == 0
    assert "not readable: is a folder that you may not open" in out


def test_a_file_in_a_folder_that_may_not_be_entered_costs_itself(views, folder):
    (folder / "worn").chmod(0o444)
    status, out, err = said("diagnose", views[1], "worn/worn0.wav", "good/good1.wav", cwd=folder)
    assert status == 1
    assert out.startswith("good/good1.wav  good")
    assert "worn/worn0.wav" in err
    assert "Permission denied" in err


def test_a_place_that_may_not_be_looked_at_is_a_sentence(folder):
    (folder / "worn").chmod(0o444)
    status, _, err = said("show", "worn/worn0.wav", cwd=folder)
    assert status == 2
    assert "worn/worn0.wav" in err
    assert "Permission denied" in err


def test_what_may_be_read_is_as_ever(views, folder):
    assert done("diagnose", views[1], folder).stdout.count(".wav") == 4
