import dataclasses
import hashlib
import json
import tracemalloc

import numpy as np
import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dualres.config import ModelConfig, Recipe
from dualres.errors import ConfigError, ModelFileError
from dualres.judge.model import Model, load, save
from dualres.model.network import DualRes
from dualres.model_file import integrity as sealed
from dualres.model_file.card import Card
from tests.model.made_views import machine_windows, made_views
from tests.models import model_of

SMALL = ModelConfig(rate=2000, window=256, hop=8, short=16, long=64, width=8, states=2, frequency_hz=(5.0, 100.0))


def model(config=SMALL, classes=("good", "worn \u2460", 'a "quoted" one'), members=1):
    card = Card(
        classes=classes,
        config=config,
        recipe=Recipe(updates=7),
        seed=3,
        resampler="scipy.signal.resample_poly",
        exposure_s=dict.fromkeys(classes, 1.5),
        held_out="bearing",
        score={"macro_f1": 0.5},
        members=members,
    )
    return Model(tuple(DualRes(len(classes), config, seed=seed).eval() for seed in card.seeds), card)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "pump.safetensors"
    save(model(), path)
    return path


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """A file of three members."""
    path = tmp_path_factory.mktemp("model") / "three.safetensors"
    save(model(members=3), path)
    return path


def resigned(path, change):
    """The file with its card changed and the digest put right: what a deliberate hand could make."""
    tensors = safetensors.torch.load_file(path)
    fields = json.loads(safetensors.safe_open(path, "pt").metadata()["dualres"])
    change(fields, tensors)
    fields["sha256"] = "0" * 64
    blob = safetensors.torch.save(tensors, {"dualres": json.dumps(fields, separators=(",", ":"))})
    return blob.replace(b"0" * 64, hashlib.sha256(blob).hexdigest().encode(), 1)


def refused(path, change, reason):
    """A file with a change is refused with the reason."""
    changed = path.with_name("resigned")
    changed.write_bytes(resigned(path, change))
    with pytest.raises(ModelFileError, match=reason):
        load(changed)


def test_what_is_loaded_is_what_was_saved(saved):
    original, loaded = model(), load(saved)
    assert loaded.card == original.card
    for a, b in zip(original.network.parameters(), loaded.network.parameters(), strict=True):
        assert torch.equal(a, b)
    windows = torch.randn(5, SMALL.window)
    assert torch.equal(original.network(windows), loaded.network(windows))


def test_the_same_model_makes_the_same_bytes(saved, tmp_path):
    save(model(), tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == saved.read_bytes()


def test_a_single_network_s_file_tells_nothing_of_members(saved):
    with safetensors.safe_open(saved, "pt") as file:
        fields, names = json.loads(file.metadata()["dualres"]), set(file.keys())
    assert list(fields) == [
        *("format", "classes", "config", "recipe", "seed", "resampler", "exposure_s", "held_out", "score", "remarks"),
        *("versions", "checks", "sha256"),
    ]
    assert np.shape(fields["checks"]) == (2, 3)
    assert names == set(model().network.state_dict())


def test_what_a_model_remembers_survives_the_file(tmp_path):
    plain, known = model(), {"channels": ["DE"], "rates": ["48000"], "looks": {"level": [0.1, 2.0]}}
    knowing = dataclasses.replace(plain.card, learned_from=known)
    save(dataclasses.replace(plain, card=knowing), tmp_path / "m.safetensors")
    assert load(tmp_path / "m.safetensors").card.learned_from == known


def test_members_survive_the_file_in_their_order(three, saved):
    original, loaded = model(members=3), load(three)
    assert loaded.card == original.card
    assert loaded.card.seeds == (3, 4, 5)
    windows = torch.randn(2, SMALL.window)
    for ours, theirs in zip(original.networks, loaded.networks, strict=True):
        assert torch.equal(ours(windows), theirs(windows))
    assert not torch.equal(loaded.networks[0](windows), loaded.networks[1](windows))
    assert torch.equal(loaded.networks[0](windows), load(saved).network(windows))


def test_one_of_several_networks_is_not_the_model():
    with pytest.raises(ConfigError, match="averages 3; fit with one member"):
        _ = model(members=3).network
    with pytest.raises(ConfigError, match="2 networks came with a card of 1"):
        Model(model(members=2).networks, model().card)


def triaxial(members=2, axes="apart"):
    one = model(members=members * (3 if axes == "apart" else 1))
    return Model(one.networks, dataclasses.replace(one.card, members=members, channels=("x", "y", "z"), axes=axes))


@pytest.mark.parametrize(("axes", "networks"), [("apart", 6), ("shared", 2)])
def test_axes_survive_the_file_in_their_order(tmp_path, axes, networks):
    original = triaxial(axes=axes)
    save(original, tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert loaded.card == original.card
    assert (loaded.card.channels, loaded.card.axes, loaded.card.passes) == (("x", "y", "z"), axes, 6)
    assert len(loaded.members) == loaded.card.networks == networks
    windows = np.random.default_rng(0).standard_normal((2, SMALL.window)).astype(np.float32)
    for axis in range(3):
        np.testing.assert_allclose(loaded.scores(windows, axis), original.scores(windows, axis), atol=1e-6)
    with safetensors.safe_open(tmp_path / "m", "pt") as file:
        assert {name.partition(".")[0] for name in file.keys()} == {str(i) for i in range(networks)}  # noqa: SIM118


def test_a_network_of_an_axis_judges_its_axis_alone():
    made = triaxial()
    windows = np.random.default_rng(0).standard_normal((2, SMALL.window)).astype(np.float32)
    assert made.members_of(1) == made.members[2:4]
    by_hand = [torch.from_numpy(windows), *made.networks[2:4]]
    with torch.no_grad():
        by_hand = sum(network(by_hand[0]).softmax(-1) for network in by_hand[1:]) / 2
    np.testing.assert_allclose(made.scores(windows, 1), by_hand, atol=1e-5)
    with pytest.raises(ConfigError, match="a network for each of x, y, z; say whose windows"):
        made.scores(windows)
    with pytest.raises(ConfigError, match="averages 3; fit with one axis"):
        _ = triaxial(members=1).network
    shared = triaxial(axes="shared")
    np.testing.assert_array_equal(shared.scores(windows), shared.scores(windows, 2))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda f, t: f.update(channels=["x", "y"]), "card tells of 2 members for each of 2 axes"),
        (lambda f, t: f.update(channels=["x", "y", "y"]), "channels are not distinct"),
        (lambda f, t: f.update(channels=["x", "y", 3]), "channels are not distinct"),
        (lambda f, t: f.update(channels=["x"]), "axes='apart'"),
        (lambda f, t: f.update(axes="together"), "axes='together'"),
        (lambda f, t: f.pop("axes"), "axes=''"),
        (lambda f, t: f.update(axes="shared"), "card tells of 2 members,"),
        (lambda f, t: f.update(channels=[str(i) for i in range(40)]), "at most 64"),
    ],
)
def test_axes_that_do_not_fit_the_card_are_refused(tmp_path, change, reason):
    save(triaxial(), tmp_path / "three")
    refused(tmp_path / "three", change, reason)


def drop_the_last(fields, tensors):
    for name in [name for name in tensors if name.startswith("2.")]:
        del tensors[name]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (drop_the_last, "card tells of 3 members"),
        (lambda f, t: f.update(members=2), "card tells of 2 members"),
        (lambda f, t: f.update(members=4), "card tells of 4 members"),
        (lambda f, t: f.update(members=0), "members=0"),
        (lambda f, t: f.update(members=10**12), "from 1 to 64"),
        (lambda f, t: f.update(members="3"), "members='3'"),
        (lambda f, t: f.update(seed=None), "seed"),
        (lambda f, t: f.pop("members"), "do not fit"),
        (lambda f, t: t.pop("1.head.bias"), "do not fit"),
        (lambda f, t: t.update(surprise=torch.zeros(3)), "card tells of 3 members"),
        (lambda f, t: t.update({"1.head.bias": t["1.head.bias"][:2].clone()}), "do not fit"),
        (lambda f, t: t.update({"2.head.bias": t["2.head.bias"].double()}), "float32"),
        (lambda f, t: f.update(checks=[row[:2] for row in f["checks"]]), "check window"),
        (lambda f, t: t["0.head.bias"].add_(0.01), "check window gives other values"),
        (lambda f, t: t["1.head.bias"].add_(0.01), "check window gives other values"),
        (lambda f, t: t["2.head.bias"].add_(0.01), "check window gives other values"),
    ],
)
def test_members_that_do_not_fit_the_card_are_refused(three, change, reason):
    refused(three, change, reason)


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    """A network of views, and its file."""
    made, path = model_of(made_views(3)), tmp_path_factory.mktemp("views") / "pump.safetensors"
    save(made, path)
    return made, path


def test_a_network_of_views_survives_the_file(views):
    made, path = views
    loaded = load(path)
    assert loaded.card == made.card
    assert loaded.card.probabilistic
    windows = machine_windows(1, 3, seed=5)
    np.testing.assert_array_equal(loaded.scores(windows), made.scores(windows))
    for ours, theirs in zip(made.network.parameters(), loaded.network.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_the_card_of_views_names_the_method_and_no_sizes_of_the_paper_s_memory(views):
    with safetensors.safe_open(views[1], "pt") as file:
        fields = json.loads(file.metadata()["dualres"])
    assert (fields["method"], fields["recipe"]) == ("dualres/views", None)
    assert list(fields["config"]) == ["rate", "window", "hop", "short", "long"]
    assert "members" not in fields


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda f, t: t.update({"heads.lines.centre": t["heads.lines.centre"][1:].clone()}), r"\(49,\) instead of"),
        (lambda f, t: t.update({"heads.rhythm.slopes": t["heads.rhythm.slopes"][:2].clone()}), "do not fit its card"),
        (lambda f, t: t.update({"heads.rhythm.slopes": t["heads.rhythm.slopes"].double()}), "float32"),
        (lambda f, t: t.update({"heads.spectra.sharpness": t["heads.spectra.sharpness"][None].clone()}), "do not fit"),
        (lambda f, t: t.pop("heads.spectra.offsets"), "do not fit its card"),
        (lambda f, t: t.update(surprise=torch.zeros(3)), "do not fit its card"),
        (lambda f, t: f.update(classes=["good", "worn"]), "do not fit its card"),
        (lambda f, t: f.update(members=2), "card tells of 2 members"),
        (lambda f, t: f.pop("method"), "do not fit its card"),
        (lambda f, t: t["heads.rhythm.slopes"].mul_(1.1), "check window gives other values"),
    ],
)
def test_views_that_do_not_fit_the_card_are_refused(views, change, reason):
    refused(views[1], change, reason)


def test_controls_survive_the_file(tmp_path):
    silent = dataclasses.replace(SMALL, branches="long", rotation=False, jitter=0.0, memory=False)
    save(model(silent), tmp_path / "m")
    assert load(tmp_path / "m").network.config == silent


SILENT = {
    "branches": ("encoder.short.weight", {"branches": "long"}),
    "memory": ("encoder.memory.write.weight", {"memory": False}),
    "rotation": ("encoder.memory.pitch", {"rotation": False}),
}


@pytest.mark.parametrize(("name", "silent"), SILENT.values(), ids=SILENT)
def test_nan_is_refused_also_where_the_network_does_without_the_weight(tmp_path, name, silent):
    save(model(dataclasses.replace(SMALL, **silent)), tmp_path / "whole")
    spoil = lambda fields, tensors: tensors[name].view(-1)[:1].fill_(float("nan"))  # noqa: E731
    refused(tmp_path / "whole", spoil, f"{name} holds numbers that are not finite")


def test_logits_that_overflow_are_refused(saved):
    """Infinite logits equal infinite ones: what the file says of itself cannot save it."""

    def change(fields, tensors):
        tensors["head.weight"].fill_(3e38)
        fields["checks"] = [[float("inf")] * 3] * 2

    refused(saved, change, "check window gives values that are not finite")


def test_the_paper_s_model_is_small(tmp_path):
    save(model(ModelConfig(), classes=tuple("abcdefgh")), tmp_path / "m")
    assert (tmp_path / "m").stat().st_size < 165_000


def test_saving_leaves_the_training_mode_alone(tmp_path):
    m = model()
    m.network.train()
    save(m, tmp_path / "m")
    assert m.network.training


@settings(max_examples=300, deadline=None)
@given(where=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_a_changed_byte_is_refused(saved, where, flip):
    blob = bytearray(saved.read_bytes())
    blob[int(where * len(blob))] ^= flip
    changed = saved.with_name("changed")
    changed.write_bytes(blob)
    with pytest.raises(ModelFileError, match="changed"):
        load(changed)


def test_every_byte_of_the_header_counts(saved):
    blob = saved.read_bytes()
    header = 8 + int.from_bytes(blob[:8], "little")
    changed = saved.with_name("changed")
    for i in range(header):
        changed.write_bytes(blob[:i] + bytes([blob[i] ^ 1]) + blob[i + 1 :])
        with pytest.raises(ModelFileError):
            load(changed)


@pytest.mark.parametrize("length", [0, 3, 8, 50, -1])
def test_a_truncated_file_is_refused(saved, length):
    cut = saved.with_name("cut")
    cut.write_bytes(saved.read_bytes()[:length])
    with pytest.raises(ModelFileError, match="cut"):
        load(cut)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda f, t: f["config"].update(width=9), "odd"),
        (lambda f, t: f.update(members=2), "card tells of 2 members"),
        (lambda f, t: f.update(checks=(np.add(f["checks"], [[0, 0.01, 0], [0, 0, 0]])).tolist()), "gives other values"),
        (lambda f, t: t["head.weight"].mul_(1.1), "check window"),
        (lambda f, t: f["config"].update(width=2**20), "do not fit"),
        (lambda f, t: f["config"].update(window=2**30), "at most"),
        (lambda f, t: f["config"].update(surprise=1), "cannot be understood"),
        (lambda f, t: f.update(estimates=["good"]), "estimates are no estimates"),
        (lambda f, t: f.update(classes=["one", "two"]), "do not fit"),
        (lambda f, t: f.update(checks=[]), "check window"),
        (lambda f, t: f.update(checks=[[float("nan")] * 3] * 2), "check window"),
        (lambda f, t: f.update(checks=[[1], [1, 2]]), "check window"),
        (lambda f, t: f.update(classes=["good", "good", "good"]), "distinct names"),
        (lambda f, t: f.update(classes=[1, 2, 3]), "distinct names"),
        (lambda f, t: f.update(format="dualres-model/99"), "dualres-model/99"),
        (lambda f, t: f.update(learned_from=["DE"]), "learned_from is no table"),
        (lambda f, t: t.pop("head.bias"), "do not fit"),
        (lambda f, t: t.update({"head.bias": t["head.bias"].double()}), "float32"),
    ],
)
def test_a_card_that_does_not_fit_is_refused(saved, change, reason):
    refused(saved, change, reason)


GREEDY = {
    "a frame for every sample": {"window": 2**20, "hop": 1, "short": 16, "long": 16},
    "a hop of few samples": {"window": 2**20, "hop": 4},
    "a window of minutes": {"window": 2**24},
}


@pytest.mark.parametrize("sizes", GREEDY.values(), ids=GREEDY)
def test_a_small_file_cannot_ask_for_much_memory(tmp_path, sizes):
    """Of what the card says, these sizes are in no tensor's shape."""
    some = dataclasses.replace(SMALL, short=16, long=sizes.get("long", SMALL.long))
    save(model(some), tmp_path / "whole")
    (tmp_path / "m").write_bytes(
        resigned(tmp_path / "whole", lambda f, t: f["config"].update(sizes, frequency_hz=[5, 9]))
    )
    tracemalloc.start()
    with pytest.raises(ModelFileError, match=r"too much memory|at most"):
        load(tmp_path / "m")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def test_views_of_very_many_frames_are_refused(views):
    """Their tables grow with the square of the frames, and no tensor's shape tells of them."""
    refused(views[1], lambda f, t: f["config"].update(window=2**18), "too much memory")


def test_a_large_card_is_refused_before_it_is_read(saved, tmp_path, monkeypatch):
    monkeypatch.setattr(sealed, "LARGEST_HEADER", 1000)
    monkeypatch.setattr(sealed.json, "loads", lambda text: pytest.fail("it was read"))
    with pytest.raises(ModelFileError, match=r"a card of .* bytes is too large"):
        load(saved)


def test_foreign_files_are_refused(tmp_path):
    foreign = tmp_path / "foreign"
    safetensors.torch.save_file({"x": torch.zeros(3)}, foreign)
    with pytest.raises(ModelFileError, match="not a DualRes model"):
        load(foreign)
    foreign.write_bytes(b"\x80\x04" + bytes(100))
    with pytest.raises(ModelFileError, match="not a DualRes model"):
        load(foreign)
    foreign.write_bytes(np.uint64(5).tobytes() + b"[" * 5000)
    with pytest.raises(ModelFileError, match="not a DualRes model"):
        load(foreign)


def test_missing_folders_and_large_files_are_refused(tmp_path, monkeypatch):
    with pytest.raises(ModelFileError, match=r"nowhere: cannot be read \(No such file"):
        load(tmp_path / "nowhere")
    with pytest.raises(ModelFileError, match="cannot be read"):
        load(tmp_path)
    monkeypatch.setattr(sealed, "LARGEST_FILE", 100)
    save(model(), tmp_path / "m")
    with pytest.raises(ModelFileError, match="too large"):
        load(tmp_path / "m")
