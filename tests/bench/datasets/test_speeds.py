"""How fast the shafts of the datasets turn, as far as releases say it."""

import numpy as np
import pytest
from scipy.io import savemat

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.datasets import catalog
from dualres.bench.datasets import prepare as preparing
from dualres.bench.datasets.prepare import prepare
from dualres.config import POLYPHASE
from dualres.recordings.speed import Speed
from dualres.recordings.store import open_store, read_index, write_index
from tests.bench.datasets.test_adapters import touch

MCC5 = "health_speed_circulation_10Nm-1000rpm"


@pytest.mark.parametrize(
    ("dataset", "file", "rpm"),
    [
        ("cwru", "97.mat", 1797),
        ("cwru", "IR007_3.csv", 1730),
        ("cwru_12k", "107.mat", 1750),
        ("cwru_12k", "B007_1.npy", 1772),
        ("uestc", "I_800.npy", 800),
        ("phm2009", "helical 1_30hz_High_1.zip", 1800),
        ("paderborn", "N09_M07_F10_KA01_1.mat", 900),
        ("paderborn", "N15_M07_F04_KA01_1.mat", 1500),
        ("kaist", "2Nm_BPFI_03.mat", 3010),
        ("uored", "I_1_2.mat", 1750),
        ("hust", "IO602.mat", 1425),
        ("mcc5", "health_torque_circulation_1000rpm_10Nm.csv", 1000 * 29 / 95),
        ("mcc5", f"{MCC5}.csv", None),
        ("ottawa", "B-C-1.mat", None),
    ],
)
def test_what_a_release_states(tmp_path, dataset, file, rpm):
    touch(tmp_path / file)
    release = catalog.release(dataset)
    (entry,) = release.index(tmp_path).entries
    speed = release.speed_of(entry.id, entry.condition) if release.speed_of else None
    assert (speed and speed.rpm) == (rpm and pytest.approx(rpm))


def pulses_of(turns):
    return ((turns % 1) < 0.3).astype(np.float64)


def test_an_encoder_is_followed_and_kept_in_the_store(tmp_path, monkeypatch):
    monkeypatch.setattr(preparing, "official", lambda *_: None)  # these are no released files
    t = np.arange(400_000) / 200_000
    (tmp_path / "release").mkdir()
    signals = {
        "Channel_1": np.random.default_rng(0).standard_normal(len(t)),
        "Channel_2": pulses_of(1024 * (14 * t + t**2)),
    }
    savemat(tmp_path / "release" / "H-A-1.mat", signals)
    prepare(catalog.release("ottawa"), tmp_path / "release", tmp_path / "store", partial=True)
    (one,) = open_store(tmp_path / "store")
    assert (one.speed.source, one.speed.varies) == ("measured", True)
    np.testing.assert_allclose(one.speed.hz, 14 + 2 * np.array(one.speed.at_s), rtol=1e-3)
    assert "shaft" not in one.condition
    prepare(catalog.release("ottawa"), tmp_path / "release", tmp_path / "store", partial=True)
    assert open_store(tmp_path / "store")[0].speed == one.speed, "it is not read again"


@pytest.mark.parametrize("pulsing", [True, False])
def test_the_pulses_of_a_motor_are_those_of_the_shaft_it_drives(tmp_path, pulsing):
    t = np.arange(4 * 12_800) / 12_800
    pulses = pulses_of(15 * t + t**2) if pulsing else np.zeros(len(t))
    noise = np.random.default_rng(0).standard_normal(len(t))
    (tmp_path / "release").mkdir()
    table, file = np.stack([pulses, noise], axis=1), tmp_path / "release" / f"{MCC5}.csv"
    np.savetxt(file, table, "%.4f", ",", header="speed,gearbox_vibration_x", comments="")
    prepare(catalog.release("mcc5"), tmp_path / "release", tmp_path / "store", partial=True)
    (one,) = open_store(tmp_path / "store")
    assert one.length == len(t)
    if not pulsing:
        assert one.speed is None, "the vibration is used all the same"
        return
    hz = (15 + 2 * np.array(one.speed.at_s)) * 29 / 95
    np.testing.assert_allclose(one.speed.hz, hz, rtol=0.01)


def test_a_store_of_an_earlier_version_has_what_is_stated(tmp_path):
    source, store = tmp_path / "release", tmp_path / "stores" / "uestc"
    source.mkdir()
    np.save(source / "I_800.npy", np.random.default_rng(0).standard_normal(100))
    release = catalog.release("uestc")
    prepare(release, source, store, partial=True)
    assert open_store(store)[0].speed == Speed.of_rpm(800)
    index = read_index(store)
    for entry in index["recordings"]:
        assert entry.pop("shaft") == {"hz": [800 / 60], "source": "stated"}
    write_index(store, {key: value for key, value in index.items() if key != "recordings"}, index["recordings"])
    (one,) = open_store(store)
    assert one.speed is None
    assert release.with_speed(one).speed == Speed.of_rpm(800)
    found = DatasetSignals("uestc", tmp_path / "stores", tmp_path / "cache", POLYPHASE).native("I_800")
    assert found.speed == Speed.of_rpm(800)
    prepare(release, source, store, partial=True)
    assert open_store(store)[0].speed == Speed.of_rpm(800), "preparing it again adds what it lacks"
