"""Numbers of a card: whatever is computed, shown or exported counts on them."""

import math

import pytest

from dualres.model_file.card_schema import LARGEST, check_fields

PLACES = {
    "exposure_s": lambda x: {"good": 1.5, "worn": x},
    "score": lambda x: {"macro_f1": x},
    "cost": lambda x: {"fit_s": x},
    "constants": lambda x: {"scale": x},
    "unlabelled_s": lambda x: x,
    "learned_from": lambda x: {"looks": {"level": [0.1, x], "speed_rpm": [1000, 1500]}},
    "config": lambda x: {"rate": 64_000, "half_life_s": [x, 1]},
    "recipe": lambda x: {"updates": 7, "learning_rate": x},
    "calibration": lambda x: {"look": [[0.0, 0.0], [0.0, x]]},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("value", "shown"),
    [(math.nan, "NaN"), (math.inf, "inf"), (-math.inf, "-inf"), (1e308, "1e[+]308"), (-2e100, "-2e")],
)
def test_a_number_that_is_none_is_refused_wherever_it_stands(place, value, shown):
    with pytest.raises(ValueError, match=rf"its {place} holds {shown}.*; numbers are finite, and at most 1e\+100"):
        check_fields({place: PLACES[place](value)})


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", [LARGEST, -LARGEST, 0, 5e-324])
def test_any_other_number_is_for_others_to_judge(place, value):
    check_fields({place: PLACES[place](value)})


def test_a_whole_number_that_no_float_holds_is_refused():
    with pytest.raises(ValueError, match="its seed holds a number of many digits"):
        check_fields({"seed": 10**400})
