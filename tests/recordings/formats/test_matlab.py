from fractions import Fraction

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from dualres.recordings.formats.matlab import read_v5, read_v73

X, Y = np.arange(5.0), np.arange(6, dtype=np.int16)


def vectors(contents):
    return {one.name: load().tolist() for one, load in contents.items() if one.fault is None}


class V73:
    """Writes variables as MATLAB does with -v7.3: structs as groups, cells by reference, arrays transposed."""

    def __init__(self, path):
        self.file = h5py.File(path, "w", userblock_size=512)
        self.references = self.file.create_group("#refs#")

    def write(self, parent, name, value):
        if isinstance(value, dict):
            node = parent.create_group(name)
            node.attrs["MATLAB_class"] = np.bytes_("struct")
            for field, inner in value.items():
                self.write(node, field, inner)
        elif isinstance(value, np.ndarray) and value.dtype.names:  # an array of structs
            node = parent.create_group(name)
            node.attrs["MATLAB_class"] = np.bytes_("struct")
            for field in value.dtype.names:
                self.refer(node, field, value[field])
        elif isinstance(value, np.ndarray) and value.dtype == object:
            self.refer(parent, name, value).attrs["MATLAB_class"] = np.bytes_("cell")
        elif isinstance(value, str):
            node = parent.create_dataset(name, data=np.array([[ord(c)] for c in value], dtype=np.uint16))
            node.attrs["MATLAB_class"] = np.bytes_("char")
        else:
            parent.create_dataset(name, data=np.atleast_2d(value).T).attrs["MATLAB_class"] = np.bytes_("double")

    def refer(self, parent, name, values):
        references = []
        for value in values.ravel():
            key = f"r{len(self.references)}"
            self.write(self.references, key, value)
            references.append(self.references[key].ref)
        return parent.create_dataset(name, data=np.array([references], dtype=h5py.ref_dtype))


@pytest.fixture(params=["v5", "v7.3"])
def written(request, tmp_path):
    """Write variables in either version, and read what is listed of them."""

    def there_and_back(variables):
        path = tmp_path / "a.mat"
        if request.param == "v5":
            savemat(path, variables)
            return read_v5(path)
        writer = V73(path)
        for name, value in variables.items():
            writer.write(writer.file, name, value)
        writer.file.close()
        return read_v73(path)

    return there_and_back


@pytest.fixture
def flattened(written):
    """The same, as {name: values}."""
    return lambda variables: vectors(written(variables))


def test_vectors_lie_or_stand_and_a_matrix_is_its_longer_lines(flattened):
    assert flattened({"lying": X[None], "standing": Y[:, None]}) == {"lying": X.tolist(), "standing": Y.tolist()}
    tall = np.stack([X, 2 * X], axis=1)
    lines = [X.tolist(), (2 * X).tolist()]
    expected = {"tall[0]": lines[0], "tall[1]": lines[1], "wide[0]": lines[0], "wide[1]": lines[1]}
    assert flattened({"tall": tall, "wide": tall.T}) == expected


def test_structs_are_paths(flattened):
    found = flattened({"Signal": {"y_values": {"values": X, "unit": "g"}, "rate": 25_600.0}})
    assert found == {"Signal.y_values.values": X.tolist()}


def test_elements_go_by_their_name_or_their_position(flattened):
    def structs(*names):
        return np.array([(name, X + i) for i, name in enumerate(names)], dtype=[("Name", "O"), ("Data", "O")])

    assert flattened({"run": {"Y": structs("force", "vibration_1")}}) == {
        "run.Y.force.Data": X.tolist(),
        "run.Y.vibration_1.Data": (X + 1).tolist(),
    }
    assert flattened({"Y": structs("same", "same")}) == {"Y.0.Data": X.tolist(), "Y.1.Data": (X + 1).tolist()}


def test_cells_go_by_position_and_text_and_scalars_are_no_signals(flattened):
    cells = np.empty(4, dtype=object)
    cells[:] = [X, "text", 3.0, Y]
    assert flattened({"cells": cells, "fs": 48_000.0, "title": "a run"}) == {
        "cells.0": X.tolist(),
        "cells.3": Y.tolist(),
    }


def test_complex_vectors_are_seen_but_not_taken(tmp_path):
    savemat(tmp_path / "five.mat", {"z": X + 1j * X})
    with h5py.File(tmp_path / "seven.mat", "w") as file:
        file["z"] = np.zeros((1, 5), dtype=[("real", "f8"), ("imag", "f8")])
    for contents in (read_v5(tmp_path / "five.mat"), read_v73(tmp_path / "seven.mat")):
        (listed,) = contents
        assert (listed.name, listed.length, listed.kind) == ("z", 5, "c")


def test_version_4_is_refused_and_empty_variables_are_passed_over(tmp_path):
    savemat(tmp_path / "a.mat", {"x": X}, format="4")
    with pytest.raises(ValueError, match=r"v4 is not supported; save it again with -v7"):
        read_v5(tmp_path / "a.mat")
    with h5py.File(tmp_path / "a.mat", "w") as file:
        file["nothing"] = np.array([0, 0], dtype=np.uint64)  # MATLAB stores the shape instead
        file["nothing"].attrs["MATLAB_empty"] = np.uint8(1)
        file["x"] = X[None]
    assert vectors(read_v73(tmp_path / "a.mat")) == {"x": X.tolist()}


@pytest.fixture
def rates(written):
    """The rates that variables are listed with, when they are read back."""
    return lambda variables: {one.name: one.rate for one in written(variables)}


@pytest.mark.parametrize("name", ["sr", "fs", "Fs", "FS", "sampling_rate", "SampleRate", "samplingFrequency"])
@pytest.mark.parametrize("value", [48_828.125, "48.828125 kHz", np.array([[48_828.125]])])
def test_a_struct_says_its_rate(rates, name, value):
    found = rates({"bearing": {name: value, "gs": X, "load": 270.0, "rate": 25.0}, "other": Y})
    assert found == {"bearing.gs": Fraction("48828.125"), "other": None}


def test_a_rate_holds_for_what_is_below_it_unless_that_says_another(rates):
    found = rates({"fs": 10_000.0, "x": X, "run": {"y": Y, "slow": {"fs": 1000.0, "z": X}}})
    assert found == {"x": 10_000, "run.y": 10_000, "run.slow.z": 1000}


@pytest.mark.parametrize(
    "said", [{"fs": 19.5}, {"fs": 0.0}, {"fs": -48_000.0}, {"fs": np.nan}, {"fs": "fast"}, {"fs": 1000.0, "sr": 2000.0}]
)
def test_what_may_be_no_rate_is_not_taken_for_one(rates, said):
    assert rates(said | {"x": X}) == {"x": None}


def test_files_of_other_programs_say_rate_and_speed_by_attributes(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["beside"], file["fs"] = X, 12_800.0
        group = file.create_group("run")
        group.attrs["sampling_rate"] = 25_600
        group.attrs["comment"] = "a text"
        group.attrs["list"] = [1, 2]
        group["inside"] = X
        group["own"] = X
        group["own"].attrs["fs"], group["own"].attrs["rpm"] = "48 kHz", 1500
    found = {one.name: (one.rate, one.speed_hz) for one in read_v73(tmp_path / "a.h5") if one.fault is None}
    assert found == {
        "beside": (Fraction(12_800), None),
        "run.inside": (Fraction(25_600), None),
        "run.own": (Fraction(48_000), 25.0),
    }
