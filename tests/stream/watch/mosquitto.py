"""A real broker for tests, as the scripts in stress/ start it."""

import pytest

from tests.attacks.stress_scripts import script

_mosquitto = script("_mosquitto")
Mosquitto, Device = _mosquitto.Mosquitto, _mosquitto.Device
needs_mosquitto = pytest.mark.broker  # skipped without one: tests/conftest.py
