import numpy as np
import pytest

from dualres.errors import ModelFileError
from dualres.model_file.integrity import arrays_in, compare_checks, seal, unseal

STATE = {"weight": np.arange(6.0).reshape(2, 3), "count": np.array(3), "columns": np.ones((3, 2), np.float32).T}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "thing"
    path.write_bytes(seal("thing/1", {"colour": "grün"}, [[1.0, 2.0]], STATE))
    return path


def test_what_is_unsealed_is_what_was_sealed(path):
    kind, fields, checks, blob = unseal(path)
    assert kind == "thing/1"
    assert fields == {"colour": "grün"}
    assert np.array_equal(checks, [[1.0, 2.0]])
    found = arrays_in(blob, path)
    assert found.keys() == STATE.keys()
    assert all(np.array_equal(found[name], STATE[name]) for name in STATE)


def test_check_values_may_differ_by_rounding_only(path):
    stored = np.array([[1.0, 2.0]])
    compare_checks(stored, np.array([1.0, 2.0001]), 1, path)
    for values in ([1.0, 2.001], [1.0], [1.0, np.nan]):
        with pytest.raises(ModelFileError, match="check window"):
            compare_checks(stored, np.array(values), 1, path)


@pytest.mark.parametrize("first", [[np.inf, 2.0], [-np.inf, 2.0], [np.nan, 2.0]])
def test_check_values_that_are_not_finite_are_refused_even_where_the_file_says_the_same(path, first):
    with pytest.raises(ModelFileError, match="not finite"):
        compare_checks(np.array([first]), np.array(first), 1, path)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_arrays_that_are_not_finite_are_refused(path, dtype, value):
    blob = seal("thing/1", {}, [[1.0]], STATE | {"level": np.array([1, value], dtype)})
    with pytest.raises(ModelFileError, match="level holds numbers that are not finite"):
        arrays_in(blob, path)
