"""Machines with a sensor of three axes."""

from dataclasses import replace

import numpy as np
import pytest

from dualres.recordings.labels.folder import read_folder
from dualres.simulated import triaxial
from dualres.simulated.machines import machine, settings, simulate, simulate_axes

SHORT = replace(machine(3), rate=12_800, seconds=0.6)


def test_a_machine_is_felt_differently_along_each_axis():
    setting = settings(SHORT)[40]
    axes = simulate_axes(SHORT, setting)
    assert list(axes) == ["x", "y", "z"]
    alone = simulate(SHORT, setting)
    assert {axis.shape for axis in axes.values()} == {alone.shape}
    alike = np.corrcoef([*axes.values()])
    assert (np.abs(alike[np.triu_indices(3, 1)]) < 0.9).all()
    again = simulate_axes(SHORT, setting)
    assert all(np.array_equal(axes[name], again[name]) for name in axes)


def test_recordings_have_three_axes_and_are_simulated_when_asked_for(monkeypatch):
    made = triaxial.recordings(SHORT)
    assert len(made) == len(settings(SHORT))
    one = made[5]
    assert (one.channels, one.label, one.component) == (("x", "y", "z"), "good", "m3_good_light")
    expected = simulate_axes(SHORT, settings(SHORT)[5])
    for axis in one.axes:
        np.testing.assert_array_equal(axis.signal, expected[axis.origin.channel])


def test_every_axis_knows_the_speed():
    one = triaxial.recordings(triaxial.PUMP, triaxial.pump_settings())[0]
    (speed,) = {each.speed for each in (one, *one.axes)}
    assert speed.rpm == pytest.approx(float(one.condition["speed"]))


def test_a_folder_of_files_like_a_user_s_own(tmp_path):
    some = triaxial.pump_settings()[::4]
    triaxial.write_folder(tmp_path / "pump", SHORT, some)
    found = read_folder(tmp_path / "pump", "x,y,z")
    assert len(found.recordings) == len(some) == 6
    one = found.recordings[3]
    assert (one.rate, one.length, one.label, one.component) == (12_800, 7680, some[3].label, some[3].specimen)
    assert one.condition == {"speed": str(some[3].speed)}
    for axis, expected in zip(one.axes, simulate_axes(SHORT, some[3]).values(), strict=True):
        np.testing.assert_allclose(axis.signal, expected, rtol=1e-4, atol=1e-6)


def test_the_pump_has_components_to_hold_out():
    every = triaxial.pump_settings()
    assert len(every) == 24
    units = {(one.label, one.specimen) for one in every}
    assert {label: sum(of == label for of, _ in units) for label in triaxial.CLASSES} == dict.fromkeys(
        triaxial.CLASSES, 3
    )
