"""Set-up installs the files that requirements.lock names, and no altered one."""

import re
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INSTALL = ROOT / "tools" / "install.py"


def pins(text):
    """Versions by normalised name."""
    found = re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found}


def test_the_lock_pins_what_is_declared_as_the_constraints_do():
    constraints = (ROOT / "constraints.txt").read_text()
    lock = (ROOT / "requirements.lock").read_text()
    assert len(pins(lock)) > 80
    assert pins(lock) == pins(constraints)
    lock = pins((ROOT / "requirements.lock").read_text())
    extras = [line for line in (ROOT / "pyproject.toml").read_text().splitlines() if not line.startswith("peers = ")]
    declared = re.findall(r'"([\w-]+)>=', "\n".join(extras))  # without peers, which development does not install
    assert {"torch", "paho-mqtt", "pyserial", "setuptools", "pytest"} <= set(declared)
    assert {name.lower() for name in declared} <= set(lock)


def test_every_entry_has_a_hash_for_every_file():
    _, *entries = (ROOT / "requirements.lock").read_text().split("\n\n")
    for entry in entries:
        files = re.findall(r"^# (\S+\.whl)$", entry, re.MULTILINE)
        hashes = re.findall(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$", entry, re.MULTILINE)
        assert files, entry
        assert len(files) == len(hashes) == len(entry.splitlines()) - len(files) - 1, entry


BACKEND = """
from pathlib import Path

def prepare_metadata_for_build_editable(folder, config_settings=None):
    told = Path(folder, "project-1.0.dist-info")
    told.mkdir()
    needs = "Provides-Extra: dev\\nRequires-Dist: part; extra == 'dev'\\n"
    told.joinpath("METADATA").write_text("Metadata-Version: 2.1\\nName: project\\nVersion: 1.0\\n" + needs)
    return told.name

def build_editable(*_):
    raise NotImplementedError
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project that needs `part`, which the index at hand has; nothing is really installed."""
    (tmp_path / "pyproject.toml").write_text(
        "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
    )
    (tmp_path / "backend.py").write_text(BACKEND)
    (tmp_path / "constraints.txt").write_text("part==1.0\n")
    file = wheel(tmp_path / "index" / "part-1.0-py3-none-any.whl")
    digest = sha256(file.read_bytes()).hexdigest()
    (tmp_path / "requirements.lock").write_text(f"# {file.name}\npart==1.0 \\\n    --hash=sha256:{digest}\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(file.parent))
    monkeypatch.setenv("PIP_DRY_RUN", "1")
    return tmp_path


def wheel(file, content="said = 1\n"):
    """The smallest package there is: one module."""
    file.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("part.py", content)
        archive.writestr("part-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: part\nVersion: 1.0\n")
        archive.writestr("part-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("part-1.0.dist-info/RECORD", "")
    return file


def set_up(project):
    return subprocess.run([sys.executable, INSTALL], cwd=project, capture_output=True, text=True)


@pytest.mark.subprocess
def test_the_files_of_the_lock_are_installed(project):
    done = set_up(project)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.subprocess
def test_an_index_with_another_file_is_told_and_versions_are_kept(project):
    (project / "index" / "part-1.0-py3-none-any.whl").unlink()
    wheel(project / "index" / "part-1.0-py2.py3-none-any.whl", "said = 2\n")
    done = set_up(project)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1].startswith("set-up: the index at hand does not have the very files of")


@pytest.mark.subprocess
def test_an_altered_file_stops_it(project):
    wheel(project / "index" / "part-1.0-py3-none-any.whl", "said = 2\n")
    done = set_up(project)
    assert done.returncode == 1
    told = "stopped, because the bytes are not those that requirements.lock names: part-1.0-py3-none-any.whl"
    assert done.stderr.splitlines()[-1] == f"set-up: {told}"


@pytest.mark.subprocess
def test_a_failure_of_both_ways_is_a_failure(project):
    (project / "index" / "part-1.0-py3-none-any.whl").unlink()
    assert set_up(project).returncode != 0
