"""What is judged, shown, explained, audited, watched, served and exported needs NumPy and no larger library."""

import ast
import json
import pickle
import signal
import urllib.parse
import urllib.request
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from scipy.io import savemat

from dualres import DualResClassifier
from dualres.config import HELD
from dualres.judge.model import save
from dualres.judge.verdict import diagnose_recording
from dualres.kernel import compiled
from dualres.model.network import DualRes
from dualres.recordings.readers import read
from tests.bare.hidden import HIDDEN
from tests.bare.process import bare, started
from tests.model.made_views import machine_windows, made_views
from tests.models import model_of

SOURCE = Path(__file__).parents[1] / "src" / "dualres"
CLASSES = ("good", "worn", "broken")
NETWORKS = {"paper": lambda: DualRes(3, seed=0).eval(), "views": lambda: made_views(3)}
RATE = 12_800
KERNELS = [None, compiled.OFF] if compiled.able() else [compiled.OFF]
PAGE = {"starlette", "anyio", "uvicorn", "h11"}  # only `serve` may spend time on them


def made(name):
    """A model that a stream can be judged by."""
    model = model_of(NETWORKS[name](), CLASSES)
    return replace(model, card=replace(model.card, resampler=HELD))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for name in NETWORKS:
        save(made(name), folder / f"{name}.safetensors")
    rng = np.random.default_rng(0)
    for label in CLASSES:
        (folder / "labelled" / label).mkdir(parents=True)
        for number in range(2):
            soundfile.write(
                folder / "labelled" / label / f"{label}{number}.wav", 0.1 * rng.standard_normal(RATE), RATE, "FLOAT"
            )
    soundfile.write(folder / "pump.wav", 0.1 * rng.standard_normal(RATE), RATE, "PCM_16")
    savemat(folder / "old.mat", {"x": rng.standard_normal(100), "fs": 100.0})
    (folder / "new.mat").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(600))
    return folder


def told_by(*commands, **settings):
    """What commands say without the libraries of extras, each [status, out, error]; and the modules they loaded."""
    done = bare("-m", "tests.bare.commands", json.dumps(commands), **settings)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert not (HIDDEN | PAGE) & set(found["modules"])
    return found["told"]


@pytest.mark.parametrize("kernel", KERNELS, ids=["kernel", "numpy"][-len(KERNELS) :])
def test_commands_need_nothing_heavy_and_judge_alike(files, kernel, tmp_path):
    pump, verdicts = str(files / "pump.wav"), tmp_path / "verdicts"
    commands = [
        ["--help"],
        ["show", pump],
        ["audit", str(files / "labelled")],
        ["check", pump, "--speed", "30Hz", "--bearing", "6205", "--json"],
        ["trend", str(files / "labelled"), "--speed", "30Hz", "--bearing", "6205", "--page", str(tmp_path / "t.html")],
        ["data", "list"],
        ["data", "folds"],
    ]
    for name in NETWORKS:
        model = str(files / f"{name}.safetensors")
        commands += [
            ["show", model],
            ["diagnose", model, pump, "--json"],
            ["explain", model, pump, "--speed", "25Hz", "--json"],
            ["watch", model, pump, "--no-follow", "--block", "1", "--to", f"{verdicts}.{name}.jsonl"],
        ]
    settings = {"XDG_STATE_HOME": str(tmp_path / "state")} | ({"DUALRES_KERNEL": kernel} if kernel else {})
    for words, (status, out, error) in zip(commands, told_by(*commands, **settings), strict=True):
        assert status == 0, (words, error)
        if words[0] == "diagnose":
            name = Path(words[1]).stem
            here = diagnose_recording(made(name), read(files / "pump.wav"))
            assert json.loads(out)["probabilities"] == pytest.approx(here.probabilities, abs=1e-5)
            live = [json.loads(line) for line in Path(f"{verdicts}.{name}.jsonl").read_text().splitlines()]
            assert any(set(event["probabilities"]) == set(CLASSES) for event in live)


@pytest.mark.subprocess
@pytest.mark.parametrize("name", NETWORKS)
def test_so_does_an_export_to_c(files, name, tmp_path):
    model, folder = str(files / f"{name}.safetensors"), tmp_path / "device"
    ((status, out, error),) = told_by(["export", model, str(folder), "--to", "c99", "--rate", str(RATE)])
    assert status == 0, error
    assert "logits" in out
    assert (folder / "dualres.h").exists()


MISSING = {
    "fit {labelled} -o x.safetensors": "dualres fit needs PyTorch: pip install 'dualres[train]'",
    "tune {labelled} -o x.toml": "dualres tune needs PyTorch: pip install 'dualres[train]'",
    "advise {labelled}": "dualres advise needs PyTorch: pip install 'dualres[train]'",
    "demo": "dualres demo needs PyTorch: pip install 'dualres[train]'",
    "methods": "dualres methods needs PyTorch: pip install 'dualres[train]'",
    "bench plan all": "dualres bench plan needs PyTorch: pip install 'dualres[train]'",
    "bench status": "dualres bench status needs PyTorch: pip install 'dualres[train]'",
    "bench run all": "dualres bench run needs PyTorch: pip install 'dualres[train]'",
    "bench report -o r": "dualres bench report needs PyTorch: pip install 'dualres[train]'",
    "profile": "dualres profile needs PyTorch: pip install 'dualres[train]'",
    "explain {views.safetensors} {pump.wav} --picture p.png": (
        "--picture needs Matplotlib: pip install 'dualres[train]'"
    ),
    "check {pump.wav} --picture p.png": "--picture needs Matplotlib: pip install 'dualres[train]'",
    "diagnose {views.safetensors} {pump.wav} --over-time 1 --picture p.png": (
        "--picture needs Matplotlib: pip install 'dualres[train]'"
    ),
    "export {views.safetensors} p.onnx --to onnx": "an export to ONNX needs ONNX: pip install 'dualres[export]'",
    "show {old.mat}": "{old.mat}: reading MATLAB needs SciPy: pip install 'dualres[mat]'",
    "show {new.mat}": "{new.mat}: reading MATLAB v7.3 needs h5py: pip install 'dualres[mat]'",
    "watch {views.safetensors} mqtt://127.0.0.1/pump": "MQTT needs Paho MQTT: pip install 'dualres[live]'",
}


def test_a_command_that_needs_an_extra_says_so_in_one_line(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def placed(text):
        for name in ("labelled", "views.safetensors", "pump.wav", "old.mat", "new.mat"):
            text = text.replace(f"{{{name}}}", str(files / name))
        return text

    commands = [placed(words).split() for words in MISSING]
    for words, said, (status, out, error) in zip(
        commands, MISSING.values(), told_by(*commands, COLUMNS="500"), strict=True
    ):
        assert status == 2, words
        assert error.split(maxsplit=1) == ["Error:", placed(said) + "\n"], words
        assert out == ""
    assert not list(tmp_path.iterdir())


def test_so_does_the_pump_that_a_newcomer_writes_first(tmp_path):
    done = bare("-m", "dualres.simulated.triaxial", str(tmp_path / "pump"))
    assert done.returncode == 1
    assert done.stderr == "Error: the simulated pump needs SciPy: pip install 'dualres[train]'\n"
    assert not list(tmp_path.iterdir())


SERVING = """
import json, sys
from pathlib import Path
from tests.web.served import Served
with Served(Path(sys.argv[1])) as page:
    recordings = [one["id"] for one in page.get("/api/folder")["recordings"]]
    for look in ("wave", "spectrum", "spectrogram", "envelope"):
        page.get(f"/api/recordings/{recordings[0]}/{look}")
    label = page.ask("PUT", f"/api/recordings/{recordings[0]}/label", {"cells": {"label": "good"}})
    verdict = page.get(f"/api/verdicts/{recordings[0]}?model=views")
    page.get(f"/api/reasons/{recordings[0]}?model=views")
    refused = [page.ask("POST", "/api/fits", {"name": "new"}), page.ask("POST", "/api/advice", {})]
    print(json.dumps([label[0], verdict["verdict"], refused, sorted({m.partition(".")[0] for m in sys.modules})]))
"""


@pytest.fixture
def served(files, tmp_path):
    """A folder with a recording and a model, as the page takes it."""
    (tmp_path / "models").mkdir()
    for name, source in {"pump.wav": "pump.wav", "models/views.safetensors": "views.safetensors"}.items():
        (tmp_path / name).write_bytes((files / source).read_bytes())
    return tmp_path


def test_so_does_the_page(served):
    done = bare("-c", SERVING, str(served))
    assert done.returncode == 0, done.stderr
    labelled, verdict, refused, modules = json.loads(done.stdout)
    assert labelled == 200
    assert verdict in CLASSES
    needs = "needs PyTorch: pip install 'dualres[train]'"
    assert refused == [[400, {"error": f"a fit {needs}"}], [400, {"error": f"advice {needs}"}]]
    assert not HIDDEN & set(modules)


@pytest.mark.subprocess
def test_the_command_serves_until_it_is_told_to_end(served):
    with started("-m", "dualres.cli", "serve", str(served), "--no-browser", "--port", "0") as process:
        try:
            link = process.stdout.readline().split()[-1]
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            page = opener.open(link, timeout=60).read()

            def got(path):
                return json.load(opener.open(urllib.parse.urljoin(link, path), timeout=60))

            (recording,) = got("/api/folder")["recordings"]
            verdict = got(f"/api/verdicts/{recording['id']}?model=views")
        finally:
            process.terminate()
            _, complaints = process.communicate(timeout=60)
    assert b"<title>DualRes" in page
    here = diagnose_recording(made("views"), read(served / "pump.wav"))
    assert verdict["probabilities"] == pytest.approx(here.probabilities, abs=1e-5)
    assert (process.returncode, complaints) == (128 + signal.SIGTERM, "")


def test_what_is_hidden_is_all_that_extras_bring_and_more():
    """Here they are installed, so that a test which hides nothing would not fail."""
    done = bare("-c", "import torch")
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr


ROOMS = ("kernel", "model/reference", "model_file", "recordings", "faultlines", "judge", "explain", "stream", "web")
FILES = ("metrics",)
ELSEWHERE = {SOURCE / "kernel" / name for name in ("training.py", "augment.py")}  # for training and for pictures
ELSEWHERE |= {SOURCE / "judge" / "segments_picture.py"}
ELSEWHERE |= {SOURCE / "explain" / name for name in ("picture.py", "order_picture.py", "check_picture.py", "marks.py")}
ELSEWHERE |= {SOURCE / "explain" / "trend" / "picture.py"}
ELSEWHERE |= set((SOURCE / "kernel" / "gpu").rglob("*.py"))


def test_no_module_of_the_runtime_imports_more_than_it_brings():
    inside = [path for room in ROOMS for path in (SOURCE / room).rglob("*.py")]
    for path in {*inside, *(SOURCE / f"{name}.py" for name in FILES)} - ELSEWHERE:
        for node in ast.parse(path.read_text()).body:
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not {name.partition(".")[0] for name in names} & HIDDEN, path


PREDICTING = """
import json, pickle, sys
import numpy as np
from dualres import DualResClassifier, load
signals = np.load(sys.argv[3])
loaded = DualResClassifier.from_model(load(sys.argv[1]), rate=64_000)
with open(sys.argv[2], "rb") as file:
    pickled = pickle.load(file)
print(json.dumps([loaded.predict_proba(signals).tolist(), pickled.predict_proba(signals).tolist(),
    pickled.predict(signals).tolist(), sorted({m.partition(".")[0] for m in sys.modules})]))
"""


@pytest.mark.subprocess
@pytest.mark.parametrize("hidden", [True, False])
def test_a_saved_estimator_predicts_without_scikit_learn(tmp_path, hidden):
    """Hidden it cannot be imported; installed it is not."""
    X, y = machine_windows(3, 3), np.repeat(CLASSES, 3)
    fitted = DualResClassifier(rate=64_000).fit(X, y)
    save(fitted.model_, tmp_path / "m.safetensors")
    (tmp_path / "fitted.pickle").write_bytes(pickle.dumps(fitted))
    np.save(tmp_path / "signals.npy", X)
    arguments = ("-c", PREDICTING, *(str(tmp_path / n) for n in ("m.safetensors", "fitted.pickle", "signals.npy")))
    done = bare(*arguments, **({} if hidden else {"PYTHONPATH": str(SOURCE.parent)}))
    assert done.returncode == 0, done.stderr
    of_file, of_pickle, labels, modules = json.loads(done.stdout)
    assert of_file == of_pickle == fitted.predict_proba(X).tolist()
    assert labels == fitted.predict(X).tolist()
    assert not HIDDEN & set(modules)
