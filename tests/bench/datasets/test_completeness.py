"""Downloads that are not the whole release, of a made-up one and as each adapter counts its own."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from dualres.bench.campaign.dataset_signals import DatasetSignals, present_datasets
from dualres.bench.datasets import catalog, mcc5
from dualres.bench.datasets.folds import load_fold
from dualres.bench.datasets.prepare import prepare
from dualres.bench.datasets.release import Release, ReleaseEntry, collect
from dualres.config import POLYPHASE
from dualres.errors import RecordingError
from dualres.recordings.store import open_store

COUNTED = [name for name in catalog.names() if not catalog.release(name).generate]


@pytest.fixture
def download(tmp_path):
    folder = tmp_path / "download"
    folder.mkdir()
    return folder


def index(folder, variant="full"):
    found = sorted(folder.glob("*.npy"))
    entries = [ReleaseEntry(one.stem, "good", None, {}, one, partial(np.load, one)) for one in found]
    return collect(folder, entries, "r0.npy and the like", variant=variant)


RELEASE = Release(
    name="made",
    short="Made",
    title="made up",
    licence="none",
    obtained_from="here",
    version="1",
    channel="x",
    rate=Fraction(100),
    classes=("good",),
    folds=(),
    limitations=(),
    index=index,
    ids=tuple(f"r{i}" for i in range(10)),
    least_samples=lambda id: 50 if id == "r9" else 100,
)


def put(folder, numbers, samples=100):
    for i in numbers:
        np.save(folder / f"r{i}.npy", np.random.default_rng(i).standard_normal(samples).astype(np.float32))


def variant(store):
    return json.loads((store / "recordings.json").read_text())["variant"]


def test_what_is_missing_is_named_before_anything_is_read(download, tmp_path):
    put(download, range(3))
    (download / "r0.npy").write_bytes(b"x")
    says = r"download: 7 of the 10 recordings of Made are missing: r3, r4, r5, r6 and 3 more; complete the download"
    with pytest.raises(RecordingError, match=says):
        prepare(RELEASE, download, tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_archives_that_nobody_unpacked_are_named(download, tmp_path):
    (download / "part2.zip").write_bytes(b"x")
    with pytest.raises(RecordingError, match=r"looked for r0.npy and the like; not unpacked: part2.zip"):
        prepare(RELEASE, download, tmp_path / "store")
    put(download, range(5))
    with pytest.raises(RecordingError, match=r"missing: r5.*; not unpacked: part2.zip; complete"):
        prepare(RELEASE, download, tmp_path / "store")
    put(download, range(10))
    assert prepare(RELEASE, download, tmp_path / "store").written == 10, "an archive may stay beside what was in it"


def test_a_part_is_prepared_where_that_is_asked_for_and_marked(download, tmp_path):
    store = tmp_path / "store"
    put(download, range(3))
    done = prepare(RELEASE, download, store, partial=True)
    assert (done.written, done.missing) == (3, RELEASE.ids[3:])
    assert variant(store) == "part"
    put(download, range(3, 10))
    done = prepare(RELEASE, download, store)
    assert (done.written, done.kept, done.missing) == (7, 3, ())
    assert variant(store) == "full"


def test_a_recording_that_was_cut_short_is_not_used(download, tmp_path):
    store = tmp_path / "store"
    put(download, range(10))
    put(download, [4], samples=99)
    put(download, [9], samples=50)  # as released
    ((name, reason),) = prepare(RELEASE, download, store).failed
    assert name == "r4"
    assert "r4.npy: was cut short: r4 has 99 samples, the released one 100 or more; download it again" in reason
    assert (variant(store), len(open_store(store))) == ("part", 9)
    assert prepare(RELEASE, download, store, partial=True).failed == ()
    assert (variant(store), len(open_store(store))) == ("part", 10)
    assert prepare(RELEASE, download, store).failed[0][0] == "r4", "what was taken for a part is not kept for the whole"
    put(download, [4])
    assert prepare(RELEASE, download, store).written == 1
    assert variant(store) == "full"


def test_excerpts_are_no_release(download, tmp_path):
    put(download, range(10))
    release = replace(RELEASE, index=partial(index, variant="excerpts"))
    with pytest.raises(RecordingError, match="holds excerpts of recordings of Made; get the released files"):
        prepare(release, download, tmp_path / "store")
    prepare(release, download, tmp_path / "store", partial=True)
    assert variant(tmp_path / "store") == "excerpts"


def test_a_store_of_nothing_is_not_prepared(download, tmp_path):
    put(download, range(10), samples=7)
    store = tmp_path / "stores" / "uestc"
    assert len(prepare(RELEASE, download, store).failed) == 10
    assert not (store / "recordings.json").exists()
    (store / "recordings.json").write_text(
        json.dumps({"dataset": "uestc", "rate": "20000", "channel": "x", "recordings": []})
    )
    assert "uestc" not in present_datasets(tmp_path / "stores"), "nor is one that an earlier version wrote"


def test_a_part_that_an_earlier_version_called_full_counts_as_a_part(data, tmp_path):
    store = tmp_path / "uestc"
    prepare(catalog.release("uestc"), data / "uestc", store)
    variants = []
    for _ in range(2):
        variants.append(DatasetSignals("uestc", tmp_path, tmp_path / "cache", POLYPHASE).variant)
        index = json.loads((store / "recordings.json").read_text())
        index["recordings"].pop()
        (store / "recordings.json").write_text(json.dumps(index))
    assert variants == ["full", "part"]


@pytest.mark.parametrize("name", COUNTED)
def test_every_adapter_knows_all_recordings_of_its_release(name):
    release = catalog.release(name)
    assert len(set(release.ids)) == len(release.ids) == release.recordings
    assert {release.label_of(one) for one in release.ids} == set(release.classes)
    assert release.download
    assert release.link.startswith("https://")
    assert release.least_samples or name == "cwru"  # whose files are all known by their checksums


@pytest.mark.parametrize("name", COUNTED)
def test_no_fold_needs_what_a_release_does_not_have(name):
    release = catalog.release(name)
    for fold in map(load_fold, release.folds):
        assert {*fold.supporting(), *fold.evaluation} <= set(release.ids)


@pytest.mark.parametrize("name", ["cwru_12k", "uestc"])
def test_a_whole_download_passes(data, tmp_path, name):
    done = prepare(catalog.release(name), data / name, tmp_path / name)
    assert (done.failed, done.missing, variant(tmp_path / name)) == ((), (), "full")


def test_twenty_files_of_mcc5_and_one_of_paderborn(download, tmp_path):
    header = ",".join(
        [mcc5.PULSES, "torque", *(f"{part}_vibration_{x}" for part in ("motor", "gearbox") for x in "xyz")]
    )
    for name in mcc5.RELEASE.ids[:20]:
        (download / f"{name}.csv").write_text(header + "\n" + "0,0,1,2,3,4,5,6\n" * 3)
    with pytest.raises(RecordingError, match="220 of the 240 recordings of MCC5 are missing"):
        prepare(mcc5.RELEASE, download, tmp_path / "store")
    (download / "N15_M07_F10_KA01_1.mat").write_bytes(b"x")
    with pytest.raises(RecordingError, match="2078 of the 2079 recordings of Paderborn are missing"):
        prepare(catalog.release("paderborn"), download, tmp_path / "store")


def test_a_cut_csv_file_is_damaged_or_too_short(download):
    header = ",".join(
        [mcc5.PULSES, "torque", *(f"{part}_vibration_{x}" for part in ("motor", "gearbox") for x in "xyz")]
    )
    file = download / f"{mcc5.RELEASE.ids[0]}.csv"
    file.write_text(header + "\n" + "0,0,1,2,3,4,5,6\n" * 3 + "0,0,1,2,3,4")
    (entry,) = mcc5.RELEASE.index(download).entries
    with pytest.raises(RecordingError, match="damaged below its header"):
        entry.read()
    assert mcc5.RELEASE.least_samples(entry.id) == 59 * 12_800
