import numpy as np
import pytest

from tests.recordings.few import parse

X = np.arange(-3, 5)


@pytest.mark.parametrize("array", [X, X[None], X[:, None], X.astype(">i4"), X.astype(np.float16)])
def test_npy(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    listing, vector = parse(tmp_path / "a.npy")
    assert listing == [("array", len(X), None)]
    assert vector.tolist() == X.tolist()


def test_a_matrix_in_npy_is_its_columns(tmp_path):
    np.save(tmp_path / "a.npy", np.stack([X, 2 * X], axis=1))
    assert parse(tmp_path / "a.npy", "array[1]")[1].tolist() == (2 * X).tolist()
    np.save(tmp_path / "a.npy", np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="3 dimensions"):
        parse(tmp_path / "a.npy")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(200_001,), (200_001, 3), (3, 200_001), (1, 200_001, 3), (400, 400)])
@pytest.mark.parametrize("dtype", ["<f4", ">i2", "u1", "f8"])
def test_a_part_is_what_lies_there(tmp_path, shape, order, dtype):
    array = np.asarray(np.random.default_rng(0).integers(0, 255, shape), dtype=dtype, order=order)
    np.save(tmp_path / "a.npy", array)
    lines = np.atleast_2d(array.squeeze())
    lines = lines if lines.shape[1] > lines.shape[0] else lines.T
    names = ["array"] if len(lines) == 1 else [f"array[{i}]" for i in range(len(lines))]
    assert parse(tmp_path / "a.npy", names[0])[0] == [(name, len(lines[0]), None) for name in names]
    for name, line in list(zip(names, lines, strict=True))[:3]:
        for start, stop in ((0, 1), (5, 390), (0, None), (100_000, 150_001), (len(line) - 1, 10**9)):
            assert np.array_equal(parse(tmp_path / "a.npy", name, start, stop)[1], line[start:stop]), (start, stop)


def test_a_file_that_ends_early_or_has_a_negative_shape_is_refused_before_anything_is_loaded(tmp_path):
    np.save(tmp_path / "a.npy", X.astype("i2"))
    content = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(content[:-3])
    with pytest.raises(ValueError, match="it ends after 6 of 8 numbers"):
        parse(tmp_path / "a.npy", None, 0, 1)
    (tmp_path / "a.npy").write_bytes(content.replace(b"(8,), }", b"(-8,),}"))
    with pytest.raises(ValueError, match=r"its header is damaged, it gives the shape \(-8,\)"):
        parse(tmp_path / "a.npy")


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([None, 1], dtype=object), "pickled objects, which are not opened"),
        (np.array([(1.0,)], dtype=[("\N{GREEK SMALL LETTER OMEGA}", "f8")]), r"version 3\.0 .* other than numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore:Stored array in format 3.0")
def test_what_is_no_array_of_numbers_is_refused(tmp_path, array, message):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ValueError, match=message):
        parse(tmp_path / "a.npy")
