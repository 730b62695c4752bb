import json
import re

import numpy as np
import pytest
from matplotlib.image import imread
from scipy.io import wavfile

from tests.cli.runner import RATE, done, run, tone


@pytest.fixture(scope="module")
def model(views):
    """Of orders, which is the default."""
    return views[1]


@pytest.fixture(scope="module")
def of_views(machines, tmp_path_factory):
    out = tmp_path_factory.mktemp("model") / "views.safetensors"
    done("fit", machines, "-o", out, "--windows", 2, "--recipe", "views", "--no-estimate", "--no-page")
    return out


@pytest.fixture(scope="module")
def shafts(tmp_path_factory):
    """Two classes of machines whose speed is known: one hums, and one knocks 3.58 times in each turn."""
    folder = tmp_path_factory.mktemp("shafts")
    rows = [["file", "label", "rpm"]]
    for number, rpm in enumerate((1300, 1500, 1700)):
        for label in ("good", "outer"):
            name = f"{label}{number}.wav"
            wavfile.write(folder / name, RATE, (3000 * knocking(label == "outer", rpm / 60, number)).astype(np.int16))
            rows.append([name, label, str(rpm)])
    (folder / "labels.csv").write_text("\n".join(map(",".join, rows)))
    out = folder / "shafts.safetensors"
    done("fit", folder, "-o", out, "--no-estimate", "--no-page")
    return out


@pytest.fixture(scope="module")
def knocks(tmp_path_factory):
    """A machine that knocks at 1600 rpm, listed nowhere."""
    path = tmp_path_factory.mktemp("knocks") / "knocks.wav"
    wavfile.write(path, RATE, (3000 * knocking(True, 1600 / 60, 9)).astype(np.int16))
    return path


def knocking(knocks, hz, seed, seconds=3):
    rng, t = np.random.default_rng(seed), np.arange(seconds * RATE) / RATE
    impacts = np.zeros(len(t))
    impacts[(np.arange(1, seconds * hz * 3.58) / (hz * 3.58) * RATE).astype(int)[:-1]] = 8 * knocks
    ring = np.exp(-np.arange(80) / 12) * np.sin(1.3 * np.arange(80))
    return rng.standard_normal(len(t)) + 0.3 * np.sin(2 * np.pi * hz * t) + np.convolve(impacts, ring)[: len(t)]


@pytest.fixture(scope="module")
def heard(machines, tmp_path_factory):
    """Three seconds of a worn machine, and a tachometer beside it, not listed anywhere."""
    path = tmp_path_factory.mktemp("heard") / "today.wav"
    signal = np.concatenate([tone(3000, seed) for seed in (7, 8, 9)])
    pulses = (np.arange(len(signal)) * 29.95 / RATE) % 1 < 0.1
    wavfile.write(path, RATE, np.stack([8000 * signal / 2, 20_000 * pulses], axis=1).astype(np.int16))
    return path


# Where the other class has its tone.
@pytest.mark.parametrize(("kind", "band"), [("model", "750 to 2,000 Hz, "), ("of_views", "828 to 1,000 Hz")])
def test_it_says_which_bands_spoke(kind, band, heard, request):
    result = done("explain", request.getfixturevalue(kind), heard, "--channel", 1)
    assert re.search(r"  worn (0\.[6-9]\d|1\.00)  \(then good 0\.[0-4]\d\)", result.output)
    assert "nats for worn against good" in result.output
    assert ("no promise: 6 held-out components" in result.output) == (kind == "model"), "the other has no estimate"
    assert band in result.output
    assert "BPFO" not in result.output
    assert "x shaft" not in result.output


@pytest.mark.parametrize("speed", [("--speed", "1600rpm"), ()])
def test_at_a_known_speed_orders_and_their_lines_are_told(shafts, knocks, speed):
    """Also where nobody states the speed, and the verdict's is estimated."""
    told = done("explain", shafts, knocks, *speed, "--bearing", "6205").output
    assert "said by         spectra +" in told
    assert re.search(r"judged at       26\.\d\d Hz, (1[56]\d\d) rpm, " + ("stated" if speed else "estimated"), told)
    assert re.search(r"envelope    (3.58|7.17) x shaft: (2 x )?BPFO of 6205", told)
    assert re.search(r"BPFO +9\d\.\d\d Hz  p 0.0\d\d  found", told)


def test_json_has_the_axis_and_the_speed(shafts, knocks, model, heard):
    said = json.loads(done("explain", shafts, knocks, "--bearing", "6205", "--json").stdout)
    assert said["axis"] == "orders"
    assert said["speed"]["source"] == "estimated"
    assert said["speed"]["rpm"] == pytest.approx(1600, rel=0.015)
    assert said["speed_hz"] == pytest.approx(said["speed"]["rpm"] / 60, rel=1e-3)
    assert said["adds_up_to"] == pytest.approx(said["logit"], rel=1e-5)
    named = [one for one in said["bands"] if (one["view"], one["words"]) == ("envelope", "3.58 x shaft: BPFO of 6205")]
    outer = named[0]
    assert outer["nats"] > 0
    assert 0.98 * outer["orders"][0] < 3.5848 < 1.02 * outer["orders"][1]
    assert outer["lines"] == [{"order": pytest.approx(3.5848, abs=1e-3), "name": "BPFO of 6205"}]
    assert outer["repeats_hz"] == pytest.approx([order * said["speed_hz"] for order in outer["orders"]], rel=1e-3)
    unknown = json.loads(done("explain", model, heard, "--channel", 1, "--json").stdout)
    assert (unknown["axis"], unknown["speed"]) == ("hz", None)
    assert all(one["orders"] is None for one in unknown["bands"])


def test_json_adds_up(model, heard, machines):
    result = done("explain", model, heard, "--channel", 1, "--json", "--labelled", machines, "--unit", "g")
    said = json.loads(result.stdout.splitlines()[-1])
    assert (said["file"], said["verdict"], said["runner_up"]) == (str(heard), "worn", "good")
    assert said["adds_up_to"] == pytest.approx(said["logit"], abs=1e-5)
    assert sum(band["nats"] for band in said["bands"]) + said["constant"] == pytest.approx(said["logit"], abs=1e-5)
    assert sum(moment["nats"] for moment in said["moments"]) == pytest.approx(said["logit"], abs=1e-4)
    assert {band["view"] for band in said["bands"]} == {"spectra", "modulation", "envelope"}
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


@pytest.mark.parametrize("kind", ["views", "of_views", "fitted"])
def test_a_picture(kind, heard, machines, tmp_path, request):
    found = request.getfixturevalue(kind)
    path = found if kind == "of_views" else found[1]
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
