"""Model files made to do harm when they are loaded: they are refused in a sentence, and in no other way."""

import json
import math

import numpy as np
import pytest

from dualres.bench.methods.model_file import load
from dualres.cli.folder import loaded
from dualres.errors import ModelFileError
from tests.attacks.stress_scripts import script
from tests.learn.test_estimate_text import TOLD

_tally, models = script("_tally"), script("models")


@pytest.fixture(scope="module")
def originals():
    return list(models.intact())


def refusal(blob, folder):
    path = folder / "m.safetensors"
    path.write_bytes(blob)
    with pytest.raises(ModelFileError) as error:
        loaded(path)
    return str(error.value)


def test_what_the_attack_begins_with_is_intact(originals, tmp_path):
    path = tmp_path / "m.safetensors"
    for blob in originals:
        path.write_bytes(blob)
        assert models.attempt(path) == "loaded"


def test_changed_files_are_refused_and_never_escape():
    result = _tally.here(models.ATTACK, range(10**6, 10**6 + 200))
    assert result["failures"] == {}
    assert result["outcomes"]["refused"] > 100


NAN = math.nan
HUGE = int("9" * 400)  # no float holds it
WRONG = {
    "classes": [None, [], "ab", {"a": 1}, [["a"], ["b"]]],
    "seed": [True, 2**70, 1.5, "3"],
    "members": [True, 2**70, 1.0],
    "resampler": [3, None],
    "exposure_s": [[1, 2], {"good": "1"}, {"good": HUGE}, None, {"good": NAN}],
    "held_out": [3, []],
    "score": [[0.5], {"macro_f1": "high"}, {"macro_f1": HUGE}, {"macro_f1": 1e308}],
    "remarks": ["few", [1], None],
    "versions": [None, {"dualres": 1}],
    "method": [None, [], 3],
    "constants": [[], {"scale": []}],
    "cost": [[], {"fit_s": "long"}],
    "unlabelled_s": ["1", HUGE, None],
    "axes": [[], 3],
    "learned_from": [
        [],
        {"channels": [1]},
        {"rates": 48000},
        {"looks": {"level": [1]}},
        {"looks": {"level": ["a", 1]}},
        {"looks": {"level": [0.1, -math.inf]}},
    ],
    "estimates": [
        {},
        [1],
        [{}],
        [{"unit": "component"}],
        [TOLD | {"without_speed": {}}],
        [TOLD | {"without_speed": 1}],
    ],
    "recipe": [[], "paper", {"updates": []}, {"learning_rate": HUGE}, {"more": 3}],
    "config": [[], {"rate": HUGE}, {"half_life_s": [HUGE, 1]}, {"half_life_s": 3}, {"rotation": "no"}],
}


@pytest.mark.parametrize("field", WRONG)
def test_a_field_of_another_type_is_refused(originals, tmp_path, field):
    header, tensors = models.parts(originals[0])
    card = json.loads(header.pop("__metadata__")["dualres"])
    for value in WRONG[field]:
        told = models.sealed(header, {**card, field: value, "sha256": models.ZEROS}, tensors)
        assert "cannot be understood" in refusal(told, tmp_path)


CALIBRATION = {
    "unit": "recording",
    "temperature": 1.0,
    "conditions": {},
    "label": [0, 1],
    "of": ["a", "b"],
    "new": [1, 1],
    "surprise": [-3.0, -2.0],
    "look": [[-2.0, 5.0, 0.0, 12.0, 14.0]] * 2,
}
_ROWS = {name: CALIBRATION[name] for name in ("surprise", "look")}
NO_NUMBERS = [float("nan"), float("inf"), -float("inf"), 1e308, HUGE, None, "high"]
NO_CALIBRATIONS = [
    *({"temperature": value} for value in NO_NUMBERS),
    *({"surprise": [-3.0, value]} for value in NO_NUMBERS),
    *({"look": [CALIBRATION["look"][0], [value, 5.0, 0.0, 12.0, 14.0]]} for value in NO_NUMBERS),
    *({"windows": value} for value in [float("nan"), float("inf"), -1, "many"]),
    *({"label": [0, value]} for value in [-1, 99, 1.0, None, True, "a"]),
    *({"without_speed": {"temperature": value, **_ROWS}} for value in NO_NUMBERS),
    *({"standings": {"hz": {"weights": [value] * 4, "usual": [0.0] * 3}}} for value in NO_NUMBERS),
    *({"standings": {"hz": {"weights": [0.25] * 4, "usual": [value] * 3}}} for value in NO_NUMBERS),
    {"standings": []},
    {"standings": {"order": {}}},
    {"new": [1]},
    {"conditions": []},
]


@pytest.mark.parametrize("broken", NO_CALIBRATIONS, ids=str)
def test_a_broken_calibration_is_refused_when_the_file_is_read(originals, tmp_path, broken):
    """Whoever judges, exports, shows or watches by a model reads its file first."""
    for original in originals:
        header, tensors = models.parts(original)
        card = json.loads(header.pop("__metadata__")["dualres"]) | {"sha256": models.ZEROS}
        told = models.sealed(header, {**card, "calibration": CALIBRATION | broken}, tensors)
        path = tmp_path / "m.safetensors"
        path.write_bytes(told)
        with pytest.raises(ModelFileError, match=r"m\.safetensors: .*calibration"):
            load(path)


@pytest.mark.parametrize("value", [HUGE, "\ud800", {}, [[1], [1, 2]], [[HUGE] * 3] * 2])
def test_checks_and_digests_that_are_none_are_refused(originals, tmp_path, value):
    header, tensors = models.parts(originals[0])
    card = json.loads(header.pop("__metadata__")["dualres"])
    assert "check window" in refusal(
        models.sealed(header, card | {"checks": value, "sha256": models.ZEROS}, tensors), tmp_path
    )
    assert "changed or damaged" in refusal(models.sealed(header, card | {"sha256": value}, tensors), tmp_path)
    assert "not a DualRes" in refusal(models.sealed(header, card | {"format": [value]}, tensors), tmp_path)


@pytest.mark.parametrize("kind", ["BF16", "F8_E4M3", "C64", "F4", "nonsense"])
def test_numbers_of_a_kind_that_no_model_has_are_refused(originals, tmp_path, kind):
    header, tensors = models.parts(originals[0])
    card = json.loads(header.pop("__metadata__")["dualres"]) | {"sha256": models.ZEROS}
    for of_all in (False, True):
        names = list(header) if of_all else list(header)[:1]
        shorter = {name: {**header[name], "dtype": kind} for name in names}
        assert refusal(models.sealed({**header, **shorter}, card, tensors), tmp_path)


def test_an_earlier_card_is_held_to_the_same_types(originals, tmp_path):
    header, tensors = models.parts(originals[-1])
    card = json.loads(header.pop("__metadata__")["dualres"])
    for change in ({"classes": "3x"}, {"seed": 2**70}, {"cost": {"fit_s": []}}, {"recipe": 3}, {"method": []}):
        path = tmp_path / "m.safetensors"
        path.write_bytes(models.sealed(header, card | change | {"sha256": models.ZEROS}, tensors))
        with pytest.raises(ModelFileError):
            load(path)


def test_every_number_that_the_attack_writes_is_one_that_a_file_can_hold():
    rng = np.random.default_rng(0)
    assert len(models.with_numbers(bytes(64), rng)) in range(56, 73)
