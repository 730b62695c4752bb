import numpy as np
import pytest
import torch

from dualres.errors import ModelFileError
from dualres.seal import compare_checks, seal, tensors, unseal

STATE = {"weight": torch.arange(6.0).reshape(2, 3), "count": torch.tensor(3)}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "thing"
    path.write_bytes(seal("thing/1", {"colour": "grün"}, [[1.0, 2.0]], STATE))
    return path


def test_what_is_unsealed_is_what_was_sealed(path):
    fields, checks, blob = unseal(path, "thing/1")
    assert fields == {"colour": "grün"}
    assert np.array_equal(checks, [[1.0, 2.0]])
    found = tensors(blob, path)
    assert found.keys() == STATE.keys()
    assert all(torch.equal(found[name], STATE[name]) for name in STATE)


def test_another_kind_is_refused_by_name(path):
    with pytest.raises(ModelFileError, match="holds 'thing/1'; 'thing/2' is what can be read here"):
        unseal(path, "thing/2")


def test_check_values_may_differ_by_rounding_only(path):
    stored = np.array([[1.0, 2.0]])
    compare_checks(stored, np.array([1.0, 2.0001]), 1, path)
    for values in ([1.0, 2.001], [1.0], [1.0, np.nan]):
        with pytest.raises(ModelFileError, match="check window"):
            compare_checks(stored, np.array(values), 1, path)
