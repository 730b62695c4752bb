import numpy as np
import pytest

from dualres.errors import ModelFileError
from dualres.seal import arrays_in, compare_checks, seal, unseal

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
