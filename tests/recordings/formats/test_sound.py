import numpy as np
import pytest
import soundfile

from dualres.recordings.formats.registry import format_of, pick
from tests.recordings.few import parse

X = np.arange(-3, 5)


@pytest.mark.parametrize("suffix", ["wav", "flac"])
def test_integer_sound_gives_counts(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    others = {"PCM_32": 32} if suffix == "wav" else {"PCM_S8": 8}
    for subtype, bits in ({"PCM_16": 16, "PCM_24": 24} | others).items():
        counts = np.array([0, 1, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))])
        soundfile.write(path, (counts << (32 - bits)).astype(np.int32), 44_100, subtype)
        listing, vector = parse(path)
        assert listing == [("channel 1", 5, 44_100)]
        assert vector.tolist() == counts.tolist(), subtype


@pytest.mark.parametrize(("subtype", "dtype"), [("FLOAT", np.float32), ("DOUBLE", np.float64)])
def test_float_wav_stays_as_it_is(tmp_path, subtype, dtype):
    signal = np.array([0.1, -7.25, 1e-9], dtype=dtype)
    soundfile.write(tmp_path / "a.wav", signal, 8000, subtype)
    vector = parse(tmp_path / "a.wav")[1]
    assert vector.dtype == dtype
    assert vector.tolist() == signal.tolist()


def test_channels_of_a_wav_are_counted_and_eight_bits_lie_around_zero(tmp_path):
    soundfile.write(tmp_path / "a.wav", np.stack([X, 10 * X], axis=1).astype(np.int16), 8000)
    listing, vector = parse(tmp_path / "a.wav")
    assert ([name for name, _, _ in listing], vector) == (["channel 1", "channel 2"], None)
    assert parse(tmp_path / "a.wav", "channel 2")[1].tolist() == (10 * X).tolist()
    soundfile.write(tmp_path / "a.wav", (np.array([0, 1, -1, 127, -128]) << 8).astype(np.int16), 8000, "PCM_U8")
    assert parse(tmp_path / "a.wav")[1].tolist() == [0, 1, -1, 127, -128]


@pytest.mark.parametrize("suffix", ["w64", "aiff", "aif"])
def test_other_containers_of_counts(tmp_path, suffix):
    counts = np.array([0, 1, -1, 2**23 - 1, -(2**23)])
    path = tmp_path / f"a.{suffix}"
    kind = "AIFF" if suffix == "aif" else None
    soundfile.write(path, np.stack([counts, -counts // 2], axis=1).astype(np.int32) << 8, 51_200, "PCM_24", format=kind)
    listing, vector = parse(path, "channel 1", 1, 4)
    assert listing == [("channel 1", 5, 51_200), ("channel 2", 5, 51_200)]
    assert vector.tolist() == counts[1:4].tolist()


def test_ogg_comes_whole_and_close(tmp_path):
    tone = np.sin(np.arange(20_000) / 20) / 2
    soundfile.write(tmp_path / "a.ogg", tone, 44_100)
    listing, vector = parse(tmp_path / "a.ogg", None, 5, 10)
    assert listing == [("channel 1", 20_000, 44_100)]
    assert len(vector) == 20_000
    assert np.corrcoef(tone, vector)[0, 1] > 0.99


@pytest.mark.parametrize("suffix", ["wav", "flac", "w64", "ogg"])
def test_other_sound_under_the_name_is_refused(tmp_path, suffix):
    soundfile.write(tmp_path / "a.aiff", X.astype(np.int16), 8000)
    with pytest.raises(ValueError, match="does not begin as one"):
        parse((tmp_path / "a.aiff").rename(tmp_path / f"a.{suffix}"))


@pytest.mark.parametrize(
    ("suffix", "subtype"),
    [("wav", s) for s in ("PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE")]
    + [("flac", s) for s in ("PCM_S8", "PCM_16", "PCM_24")],
)
@pytest.mark.parametrize("channels", [1, 3])
def test_a_part_is_what_lies_there(tmp_path, suffix, subtype, channels):
    path = tmp_path / f"a.{suffix}"
    length = 300_000  # of three channels more than are decoded at once
    soundfile.write(path, np.random.default_rng(0).uniform(-1, 1, (length, channels)), 8000, subtype)
    whole = soundfile.read(path, always_2d=True)[0][:, -1]  # scaled to 1
    listing, vector = parse(path, f"channel {channels}")
    assert [one[1] for one in listing] == [length] * channels
    np.testing.assert_allclose(vector / (vector[0] / whole[0]), whole, rtol=1e-7, atol=1e-7)
    for start, stop in ((0, 1), (7, 4104), (0, length), (100_001, 290_000), (length - 1, length), (299_000, 10**9)):
        part = parse(path, f"channel {channels}", start, stop)[1]
        assert part.dtype == vector.dtype
        assert np.array_equal(part, vector[start:stop]), (start, stop)
    assert len(parse(path, f"channel {channels}", length + 5, length + 9)[1]) == 0


def test_an_encoding_in_which_samples_build_on_each_other_comes_whole(tmp_path):
    soundfile.write(tmp_path / "a.wav", np.sin(np.arange(5000)) / 2, 8000, "IMA_ADPCM")
    (_, length, _), whole = parse(tmp_path / "a.wav")[0][0], parse(tmp_path / "a.wav")[1]
    assert len(whole) == length >= 5000
    assert np.array_equal(parse(tmp_path / "a.wav", None, 100, 200)[1], whole)


def test_a_flac_file_that_ends_early_is_refused(tmp_path):
    path = tmp_path / "a.flac"
    soundfile.write(path, np.random.default_rng(0).uniform(-1, 1, 50_000), 8000)
    path.write_bytes(path.read_bytes()[:-30_000])
    assert len(parse(path, None, 0, 1000)[1]) == 1000
    for start in (0, 45_000):
        with pytest.raises((ValueError, soundfile.LibsndfileError)):
            parse(path, None, start)


def test_counts_say_of_how_many_bits(tmp_path):
    for subtype, unit in {"PCM_U8": "8-bit counts", "PCM_24": "24-bit counts", "FLOAT": None, "ULAW": None}.items():
        soundfile.write(tmp_path / "a.wav", np.sin(np.arange(50)) / 2, 8000, subtype)
        listing, _ = pick(format_of(tmp_path / "a.wav").parse(tmp_path / "a.wav"), None)
        assert [one.unit for one in listing] == [unit]
