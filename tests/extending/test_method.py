"""A method that was added from outside: what it weighs, and that it learns."""

import json

import pytest

from tests.extending.outside import dualres


def test_the_command_line_knows_it():
    counted = dualres("methods", "--json", plugins=["toy_method"])
    assert counted.returncode == 0, counted.stderr
    (toy,) = [row for row in json.loads(counted.stdout) if row["name"] == "toy"]
    assert (toy["family"], toy["registered"], toy["active"], toy["paper"]) == ("linear", 8 * 33, 8 * 33, None)


@pytest.mark.subprocess
def test_it_can_be_asked_for_like_the_others():
    assert "no method 'toy'" in dualres("bench", "plan", "pilot", "--methods", "toy").stderr
    planned = dualres("bench", "plan", "pilot", "--methods", "toy", plugins=["toy_method"])
    assert planned.returncode == 2  # it is none of the study's methods, but it is known
    assert "no job of pilot matches" in planned.stderr
