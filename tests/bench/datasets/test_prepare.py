import json
import re
import threading
from collections import Counter
from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from dualres.bench.datasets import catalog, folds
from dualres.bench.datasets.folds import load_fold
from dualres.bench.datasets.prepare import check, official, prepare
from dualres.bench.datasets.release import Index, Release, ReleaseEntry
from dualres.errors import ConfigError, RecordingError
from dualres.recordings.store import open_store, verify_store


class Made:
    """A release of three files, one of which may be damaged, that counts how often each is read."""

    def __init__(self, folder: Path):
        self.folder, self.reads, self.damaged = folder, [], set()
        folder.mkdir()
        for name in "abc":
            (folder / f"{name}.bin").write_bytes(name.encode())
        self.release = Release(
            name="made",
            short="Made",
            title="made up",
            licence="none",
            obtained_from="here",
            version="1",
            channel="x",
            rate=Fraction(200_000, 3),
            classes=("good", "worn"),
            folds=(),
            limitations=(),
            index=self.index,
        )

    def index(self, folder):
        entries = [
            ReleaseEntry(n, "good", f"unit {n}", {"load": "high"}, folder / f"{n}.bin", partial(self.read, n))
            for n in "abc"
        ]
        return Index(tuple(entries), ((folder / "d.bin", "reserved"),))

    def read(self, name):
        self.reads.append(name)
        if name in self.damaged:
            raise RecordingError(f"{name}.bin: damaged")
        return np.random.default_rng(ord(name)).standard_normal(10).astype(np.float32)


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path / "release")


def test_a_release_becomes_a_store(made, tmp_path):
    store = tmp_path / "store"
    seen = []
    done = prepare(made.release, made.folder, store, lambda *x: seen.append(x[1:]))
    assert (done.written, done.kept, done.failed) == (3, 0, ())
    assert done.left_out == ((made.folder / "d.bin", "reserved"),)
    assert seen == [(0, 3, "a"), (1, 3, "b"), (2, 3, "c"), (3, 3, "")]
    index = json.loads((store / "recordings.json").read_text())
    assert (index["variant"], index["rate"], index["licence"]) == ("full", "200000/3", "none")
    first, *_ = open_store(store)
    assert (first.id, first.label, first.component, first.condition) == ("a", "good", "unit a", {"load": "high"})
    assert len(first.origin.sha256) == 64
    assert not verify_store(store)


def test_only_what_is_missing_is_redone(made, tmp_path):
    store = tmp_path / "store"
    prepare(made.release, made.folder, store)
    (store / "signals" / "b.npy").unlink()
    made.reads.clear()
    done = prepare(made.release, made.folder, store)
    assert (done.written, done.kept, made.reads) == (1, 2, ["b"])


def test_a_damaged_file_does_not_stop_the_others_and_is_tried_again(made, tmp_path):
    store = tmp_path / "store"
    made.damaged.add("b")
    done = prepare(made.release, made.folder, store)
    assert (done.written, done.failed) == (2, (("b", "b.bin: damaged"),))
    assert [r.id for r in open_store(store)] == ["a", "c"]
    made.damaged.clear()
    assert prepare(made.release, made.folder, store).written == 1
    assert [r.id for r in open_store(store)] == ["a", "b", "c"]


def test_an_interruption_keeps_what_was_done(made, tmp_path):
    store = tmp_path / "store"

    def interrupt(stage, done, total, name):
        if name == "c":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare(made.release, made.folder, store, interrupt)
    assert [r.id for r in open_store(store)] == ["a", "b"]


def test_what_a_killed_preparation_left_half_written_goes_with_the_next_one(made, tmp_path):
    store = tmp_path / "store"
    prepare(made.release, made.folder, store)
    whole = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    halves = [store / "signals" / ".b.npy.x7_kq0ab", store / ".recordings.json.abcd1234"]
    for half in halves:
        half.write_bytes(b"x")
    (store / "signals" / "b.npy").unlink()
    (store / ".notes").write_text("mine")
    assert prepare(made.release, made.folder, store).written == 1
    (store / ".notes").unlink()
    assert {path: path.read_bytes() for path in store.rglob("*") if path.is_file()} == whole
    assert verify_store(store) == []


def test_the_second_of_two_preparations_waits(made, tmp_path):
    store, begun, release = tmp_path / "store", threading.Event(), threading.Event()

    def hold(stage, done, total, name):
        begun.set()
        assert release.wait(60)

    first = threading.Thread(target=prepare, args=(made.release, made.folder, store, hold))
    first.start()
    assert begun.wait(60)
    results = []
    second = threading.Thread(target=lambda: results.append(prepare(made.release, made.folder, store)))
    second.start()
    second.join(0.05)
    assert not results
    release.set()
    first.join()
    second.join()
    assert (results[0].written, results[0].kept) == (0, 3)
    assert made.reads == ["a", "b", "c"]


def test_another_dataset_s_store_is_left_alone(made, tmp_path):
    store = tmp_path / "store"
    store.mkdir()
    (store / "recordings.json").write_text(
        json.dumps({"dataset": "other", "rate": "1", "channel": "x", "recordings": []})
    )
    with pytest.raises(RecordingError, match="holds other; choose another folder"):
        prepare(made.release, made.folder, store)


def test_verification_names_what_is_wrong(made, tmp_path):
    store = tmp_path / "store"
    prepare(made.release, made.folder, store)
    np.save(store / "signals" / "a.npy", np.arange(10, dtype=np.float32))
    np.save(store / "signals" / "b.npy", np.full(10, np.nan, np.float32))
    (store / "signals" / "c.npy").write_bytes(b"x")
    (store / "signals" / "e.npy").write_bytes(b"x")
    problems = verify_store(store)
    assert [p.partition(":")[0].rpartition("/")[2] for p in problems] == ["a", "b", "c.npy", "e.npy"]


def test_every_adapter_in_the_catalog_says_what_it_is():
    assert catalog.names() == (*catalog.NAMES, "simulated", "cwru_12k", "uestc", "machines")
    for name in catalog.names():
        release = catalog.release(name)
        assert release.name == name
        assert len(release.folds) == {"cwru_12k": 3, "uestc": 4, "machines": 18}.get(name, 2)
        assert all(load_fold(fold).dataset == name for fold in release.folds)
        assert {label for fold in release.folds for label in load_fold(fold).classes} == set(release.classes)
        assert release.short
        assert release.limitations
        for text in (release.title, release.licence, release.obtained_from, release.version, release.channel):
            assert text
    with pytest.raises(ConfigError, match="no dataset 'cwr'"):
        catalog.release("cwr")


@pytest.mark.parametrize("name", ["simulated", "machines"])
def test_what_is_simulated_needs_no_preparing(name, tmp_path):
    with pytest.raises(RecordingError, match=f"{name} comes with dualres"):
        prepare(catalog.release(name), tmp_path, tmp_path / "store")


def test_a_registered_dataset_is_one_of_them(made, monkeypatch, tmp_path):
    monkeypatch.setattr(catalog, "_RELEASES", copy(catalog._RELEASES))
    monkeypatch.setattr(folds, "_FOLDS", copy(folds._FOLDS))
    release = replace(made.release, folds=("X1",), folds_in=tmp_path)
    catalog.register(release)
    assert catalog.names()[-1] == "made"
    assert catalog.release("made") is release
    assert folds.names()[-1] == "X1"
    assert "made" not in catalog.NAMES
    for name in ("made", "cwru", "simulated"):
        with pytest.raises(ConfigError, match=f"there is a dataset '{name}' already"):
            catalog.register(replace(release, name=name))
    with pytest.raises(ConfigError, match="there is a fold 'S1' already"):
        catalog.register(replace(release, name="other", folds=("S1",)))
    assert catalog.names()[-1] == "made"


def test_the_table_covers_the_releases():
    lines = resources.files("dualres.bench.datasets").joinpath("checksums.tsv").read_text().splitlines()[1:]
    counts = {"cwru": 161, "paderborn": 32, **dict.fromkeys(("ottawa", "uored", "hust"), 60)}
    assert Counter(line.split("\t")[0] for line in lines) == counts
    for line in lines:
        dataset, name, size, sha256 = line.split("\t")
        assert "/" not in name
        assert re.fullmatch("[0-9a-f]{64}", sha256)
        assert official(dataset, name).bytes == int(size)


@pytest.mark.parametrize(
    ("dataset", "name", "size", "start"),
    [
        ("cwru", "97.mat", 3_903_344, None),
        ("ottawa", "H-A-1.mat", 11_909_642, "a113089d"),
        ("uored", "H_10_0.mat", 3_586_275, "e3421cb9"),
        ("paderborn", "K001.rar", 173_881_721, "0f119ebd"),
        ("hust", "I400.mat", 7_421_553, "92c803f7"),
    ],
)
def test_released_files_go_by_their_bare_names(dataset, name, size, start):
    released = official(dataset, name)
    assert released.bytes == size
    assert released.sha256.startswith(start or "")


@pytest.mark.parametrize(("dataset", "name"), [("cwru", "IR007_2.mat"), ("hust", "B500.mat"), ("mcc5", "97.mat")])
def test_of_other_files_nothing_is_claimed(tmp_path, dataset, name):
    assert official(dataset, name) is None
    (tmp_path / name).write_bytes(b"abc")
    assert check(dataset, tmp_path / name) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_changed_file_is_refused_with_what_was_expected(tmp_path):
    path = tmp_path / "97.mat"
    path.write_bytes(b"abc")
    with pytest.raises(RecordingError, match=r"97\.mat.*3903344 bytes.*has 3 bytes.*ba7816bf.*download it again"):
        check("cwru", path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(RecordingError, match=r"97\.mat: cannot be read \(No such file"):
        check("cwru", tmp_path / "97.mat")


def test_the_real_0_hp_files_are_those_released(data):
    files = [*(data / "cwru" / "48k_DE").glob("*.mat"), *(data / "cwru" / "Normal").glob("*.mat")]
    assert len(files) == 14
    for path in files:
        assert check("cwru", path) == official("cwru", path.name).sha256


def test_one_changed_byte_of_a_real_file_is_noticed(data, tmp_path):
    content = bytearray((data / "cwru" / "48k_DE" / "174.mat").read_bytes())
    content[500_000] ^= 1
    (tmp_path / "174.mat").write_bytes(content)
    with pytest.raises(RecordingError, match="download it again"):
        check("cwru", tmp_path / "174.mat")
