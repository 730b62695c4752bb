import json

import numpy as np
import pytest
from matplotlib.image import imread
from scipy.io import wavfile

from tests.cli.runner import RATE, done, run, tone


@pytest.fixture(scope="module")
def model(views):
    return views[1]


@pytest.fixture(scope="module")
def heard(machines, tmp_path_factory):
    """Three seconds of a worn machine, and a tachometer beside it, not listed anywhere."""
    path = tmp_path_factory.mktemp("heard") / "today.wav"
    signal = np.concatenate([tone(3000, seed) for seed in (7, 8, 9)])
    pulses = (np.arange(len(signal)) * 29.95 / RATE) % 1 < 0.1
    wavfile.write(path, RATE, np.stack([8000 * signal / 2, 20_000 * pulses], axis=1).astype(np.int16))
    return path


def test_it_says_which_bands_spoke(model, heard):
    result = done("explain", model, heard, "--channel", 1)
    assert "worn 1.00  (then good 0.00)" in result.output
    assert "nats for worn against good" in result.output
    assert "828 to 1,000 Hz" in result.output  # where the other class has its tone
    assert "BPFO" not in result.output


def test_json_adds_up(model, heard, machines):
    result = done("explain", model, heard, "--channel", 1, "--json", "--labelled", machines, "--unit", "g")
    said = json.loads(result.stdout.splitlines()[-1])
    assert (said["file"], said["verdict"], said["runner_up"]) == (str(heard), "worn", "good")
    assert said["adds_up_to"] == pytest.approx(said["logit"], abs=1e-5)
    assert sum(band["nats"] for band in said["bands"]) + said["constant"] == pytest.approx(said["logit"], abs=1e-5)
    assert sum(moment["nats"] for moment in said["moments"]) == pytest.approx(said["logit"], abs=1e-4)
    assert [one["label"] for one in said["nearest"]] == ["worn", "good"]
    assert said["velocity_mm_s"] > 0
    assert "lines" not in said


@pytest.mark.parametrize("speed", [("--speed", "1797rpm"), ("--tacho", 2)])
def test_with_speed_and_geometry_it_looks_for_lines(model, heard, speed):
    result = done("explain", model, heard, "--channel", 1, *speed, "--bearing", "6205", "--gear", "29/95", "--json")
    said = json.loads(result.stdout)
    assert said["speed_hz"] == pytest.approx(29.95, rel=2e-3)
    by_name = {line["name"]: line for line in said["lines"]}
    assert by_name["BPFO"]["hz"] == pytest.approx(107.36, rel=2e-3)
    assert by_name["mesh ± mate"]["around_hz"] == pytest.approx(29 * 29.95, rel=2e-3)
    assert not by_name["BPFO"]["named"]


def test_lines_in_words(model, heard):
    result = run("explain", model, heard, "--channel", 1, "--speed", "29.95Hz", "--bearing", "6205")
    assert "BPFO            107.36 Hz" in result.output
    assert "not found  (outer ring)" in result.output


def test_the_speed_stands_in_a_list(model, tmp_path):
    wavfile.write(tmp_path / "a.wav", RATE, (8000 * tone(3000, 1)).astype(np.int16))
    (tmp_path / "labels.csv").write_text("file,rpm\na.wav,1800\n")
    result = done("explain", model, tmp_path / "a.wav", "--bearing", "6205", "--json")
    assert json.loads(result.stdout)["speed_hz"] == 30


@pytest.mark.parametrize("kind", ["views", "fitted"])
def test_a_picture(kind, heard, machines, tmp_path, request):
    _, path = request.getfixturevalue(kind)
    drawn = tmp_path / "why.png"
    options = ("--speed", "29.95Hz", "--bearing", "6205", "--labelled", machines, "--picture", drawn)
    done("explain", path, heard, "--channel", 1, *options)
    assert imread(drawn).shape[1] == 1380


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--bearing", "6205"), "--speed"),
        (("--speed", "fast"), "1797rpm"),
        (("--speed", "30Hz", "--tacho", "2"), "one of them"),
        (("--speed", "30Hz", "--bearing", "6299"), "6205"),
        (("--speed", "2Hz"), "revolutions"),
    ],
)
def test_mistakes_are_said(model, heard, options, message):
    result = run("explain", model, heard, "--channel", 1, *options)
    assert result.exit_code != 0
    assert message in str(result.exception)


def test_of_several_axes_one_is_explained(tmp_path):
    rng = np.random.default_rng(0)
    for label, pitch in (("good", 500), ("worn", 3000)):
        (tmp_path / label).mkdir()
        for seed in range(2):
            signal = tone(pitch, seed)
            three = np.stack([signal, rng.standard_normal(len(signal))], axis=1)
            wavfile.write(tmp_path / label / f"{seed}.wav", RATE, (3000 * three).astype(np.int16))
    fitted = tmp_path / "m.safetensors"
    assert run("fit", tmp_path, "-o", fitted, "--channel", "all", "--no-estimate", "--no-page").exit_code == 0
    file = tmp_path / "worn" / "0.wav"
    for chosen, name in (((), "channel 1"), (("--axis", "channel 2"), "channel 2")):
        result = done("explain", fitted, file, *chosen)
        assert f"axis  {name} of channel 1, channel 2" in result.output
    refused = run("explain", fitted, file, "--axis", "x")
    assert refused.exit_code != 0
    assert "its axes are channel 1, channel 2" in str(refused.exception)
