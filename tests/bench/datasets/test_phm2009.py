"""The gearbox's files, and real recordings of it where they are at hand."""

import json
import zipfile

import numpy as np
import pytest

from dualres.bench.datasets import phm2009 as adapter
from dualres.bench.datasets.folds import load_fold
from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.errors import RecordingError
from dualres.judge.model import Model
from dualres.judge.verdict import diagnose_recording
from dualres.learn.fit import fit_network
from dualres.learn.fold import Budget
from dualres.learn.fold_support import evaluate, gather_support
from dualres.metrics import macro_f1
from dualres.model_file.card import Card
from dualres.recordings.store import open_store
from tests.models import model_of

PAPER = ModelConfig()

STEM = "helical 1_30hz_High_1"
LINES = b"  2.5000000e-001 -9.9182000e-003  4.9292000e+000\r\n -5.0000000e-001  2.5940000e-003  6.3477000e-002\r\n"


def write(folder, text=LINES, stem=STEM, **others):
    """A zip as released, or with other members beside or instead of its text."""
    path = folder / stem.partition("_")[0] / f"{stem}.zip"
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        if text is not None:
            archive.writestr(f"{stem}.txt", text)
        for name, content in others.items():
            archive.writestr(name, content)
    return path


def only(folder):
    (entry,) = adapter.index(folder).entries
    return entry


def test_the_names_of_the_whole_release_yield_the_known_recordings(data, tmp_path):
    known = json.loads((data / "phm2009" / "index.json").read_text())
    for recording in known["recordings"]:
        (tmp_path / recording["source"]).parent.mkdir(exist_ok=True)
        (tmp_path / recording["source"]).touch()
    found = adapter.index(tmp_path)
    assert len(found.entries) == 280
    assert [
        {"id": e.id, "label": e.label, "case": e.component, "source": e.path.relative_to(tmp_path).as_posix()}
        | dict(e.condition)
        for e in found.entries
    ] == [
        {key: str(r[key]) for key in ("id", "label", "case", "source", "shaft_hz", "load", "repeat")}
        for r in known["recordings"]
    ]
    assert (found.left_out, found.variant) == ((), "full")
    assert str(adapter.RELEASE.rate) == known["rate"]
    assert adapter.RELEASE.classes == load_fold("P1").classes


def test_the_originals_hold_what_the_store_holds(data, phm2009):
    """The texts have five digits, the store has the converter's counts: both agree to half a digit, 5e-7 V."""
    stored = {r.id: r.signal for r in open_store(phm2009)}
    entries = adapter.index(data / "phm2009" / "originals").entries
    assert len(entries) == 6
    for entry in entries:
        volts = entry.read()
        assert volts.dtype == np.float32
        assert volts.shape == stored[entry.id].shape
        assert np.abs(volts - stored[entry.id]).max() <= 5e-7
    lengths = {e.id: len(e.read()) for e in entries if e.id.startswith("helical5")}
    assert lengths == {"helical5_50hz_high_2": 245_648}


def test_the_first_column_is_read(tmp_path):
    write(tmp_path)
    assert only(tmp_path).read().tolist() == [0.25, -0.5]


def test_an_unpacked_text_is_as_good_and_yields_to_its_zip(tmp_path):
    plain = tmp_path / f"{STEM}.txt"
    plain.write_bytes(LINES)
    entry = only(tmp_path)
    assert (entry.path, entry.read().tolist()) == (plain, [0.25, -0.5])
    packed = write(tmp_path)
    found = adapter.index(tmp_path)
    assert [e.path for e in found.entries] == [packed]
    assert found.left_out == ((plain, f"{STEM}.zip holds the same recording"),)


def test_names_outside_the_grammar_are_not_taken(tmp_path):
    write(tmp_path)
    wrong = ("helical 7_30hz_High_1", "spur 9_30hz_Low_1", "spur 1_33hz_Low_1", "spur 1_30hz_Low_3", "helical1_30hz")
    for stem in wrong:
        write(tmp_path, stem=stem)
    assert only(tmp_path).id == "helical1_30hz_high_1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "its text is empty"),
        (b"\r\n \r\n", "its text is empty"),
        (LINES[:-20], "its text is damaged"),  # the last line is cut short
        (LINES + b"1.0 2.0\r\n", "its text is damaged"),
        (b"1.0 2.0\r\n1.0 2.0\r\n", "2 columns, not 3"),
        (b"a b c\r\n" + LINES, "its text is damaged"),
        (LINES + b"# 1 2", "its text is damaged"),
        (LINES + b"\xff\xfe 1 2\r\n", "its text is damaged"),
        (LINES + b"nan 1 2\r\n", "not finite"),
        (LINES + b"1e300 1 2\r\n", "not finite"),
    ],
)
@pytest.mark.parametrize("packed", [True, False])
def test_a_broken_text_is_named_with_a_remedy(tmp_path, text, message, packed):
    path = write(tmp_path, text) if packed else tmp_path / f"{STEM}.txt"
    if not packed:
        path.write_bytes(text)
    with pytest.raises(RecordingError, match=message) as refused:
        only(tmp_path).read()
    assert str(refused.value).startswith(f"{path}: ")
    assert str(refused.value).endswith("get the file again from the release")


@pytest.mark.parametrize(
    ("text", "others"), [(None, {}), (None, {"other.txt": LINES}), (LINES, {"more.txt": LINES}), (None, {"../up": "1"})]
)
def test_a_zip_with_other_members_is_refused(tmp_path, text, others):
    path = write(tmp_path, text, **others)
    with pytest.raises(RecordingError, match=f"{path}: should hold {STEM}.txt and nothing else"):
        only(tmp_path).read()


def test_a_zip_that_would_unpack_to_a_flood_is_refused(tmp_path):
    path = write(tmp_path, bytes(65 * 2**20))
    assert path.stat().st_size < 100_000
    with pytest.raises(RecordingError, match="its text would take 68157440 bytes"):
        only(tmp_path).read()


def test_a_zip_that_lies_about_its_size_is_refused(tmp_path):
    path = write(tmp_path, bytes(65 * 2**20))
    size = (65 * 2**20).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (1000).to_bytes(4, "little")))
    with pytest.raises(RecordingError, match="not an intact zip"):
        only(tmp_path).read()


def test_no_damage_to_a_zip_passes_or_escapes(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.integers(-999, 999, (300, 3)) / 1000
    path = write(tmp_path, "".join("{:e} {:e} {:e}\r\n".format(*row) for row in rows))
    intact, expected = path.read_bytes(), only(tmp_path).read()
    refused = 0
    for _ in range(400):
        damaged = bytearray(intact[: rng.integers(len(intact))] if rng.random() < 0.2 else intact)
        for _ in range(rng.integers(1, 6)):
            if damaged:
                damaged[rng.integers(len(damaged))] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            assert np.array_equal(only(tmp_path).read(), expected)  # dates and the like may change
        except RecordingError:
            refused += 1
    assert refused > 300


def test_a_few_recordings_go_all_the_way(phm2009):
    recordings = open_store(phm2009)
    fold = load_fold("P1")
    support = gather_support(fold, recordings, Budget(recordings=1, windows=1), PAPER)
    assert support.windows.shape == (14, PAPER.window)
    assert np.unique([round(s, 3) for s in support.seconds.values()]).tolist() == [0.512]
    fitted = fit_network(support.windows, support.labels, 14, recipe=Recipe(updates=25))
    losses = [s.loss for s in fitted.history]
    assert losses[-1] < 0.9 * losses[0]
    model = Model((fitted.network,), Card(fold.classes, PAPER, Recipe(25), 41, POLYPHASE, support.seconds))
    for recording in recordings[:3]:
        verdict = diagnose_recording(model, recording)
        assert verdict.windows == 14
        assert np.isfinite(list(verdict.probabilities.values())).all()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "low", "high"), [("P1", 0.54, 0.70), ("P2", 0.48, 0.60)])
def test_the_paper_s_pilot_lands_within_the_spread_over_seeds(phm2009, name, low, high):
    recordings, fold = open_store(phm2009), load_fold(name)
    support = gather_support(fold, recordings, Budget(3, 4), PAPER)
    fitted = fit_network(support.windows, support.labels, 14, recipe=Recipe(300), seed=41)
    score = macro_f1(evaluate(model_of(fitted.network, fold.classes), fold, recordings).confusion)
    print(f"{name}: macro-F1 {100 * score:.2f}")
    assert low < score < high
