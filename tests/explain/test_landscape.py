import numpy as np
import pytest

from dualres.explain.landscape import LEAST_LABELLED, landscape
from dualres.explain.overview import Glance


def made(kinds: list[int], seed: int = 0, *, known: bool = False) -> list[Glance]:
    """Each kind is loud in a region of its own; all differ by noise."""
    rng, found = np.random.default_rng(seed), []
    for kind in kinds:
        level = rng.standard_normal(40).astype(np.float32)
        level[4 * kind : 4 * kind + 4] += 8
        view = {"spectra": level}
        found.append(Glance(np.zeros(240, np.float32), 12_000.0, view, view if known else {}, None))
    return found


def test_classes_lie_apart_and_what_is_alike_together() -> None:
    kinds = [0, 1, 2] * 6
    found = landscape(made(kinds), [f"class {kind}" for kind in kinds])
    assert found.by == "classes"
    assert found.places.shape == (18, 2)
    middles = np.array([found.places[np.array(kinds) == kind].mean(0) for kind in range(3)])
    nearest = ((found.places[:, None] - middles) ** 2).sum(-1).argmin(1)
    assert nearest.tolist() == kinds
    assert np.abs(found.places).max() == pytest.approx(1)


def test_without_labels_it_shows_what_differs_most() -> None:
    kinds = [0] * 6 + [1] * 6
    found = landscape(made(kinds), [None] * 12)
    assert found.by == "variation"
    assert len({place > 0 for place in found.places[:6, 0].tolist()}) == 1
    assert (found.places[:6, 0] > 0).all() != (found.places[6:, 0] > 0).all()


def test_two_classes_have_two_axes_as_well() -> None:
    kinds = [0, 1] * 6
    found = landscape(made(kinds), [f"class {kind}" for kind in kinds])
    assert found.by == "classes"
    assert found.places.std(0).min() > 0


def test_what_is_unlike_all_labels_is_told_and_what_has_one_is_not() -> None:
    kinds = [0, 1] * 10 + [5]
    labels = [f"class {kind}" for kind in kinds[:16]] + [None] * 5
    found = landscape(made(kinds), labels)
    assert found.far == (False,) * 20 + (True,)
    few = landscape(made(kinds), [*labels[: LEAST_LABELLED - 1], *([None] * (21 - LEAST_LABELLED + 1))])
    assert not any(few.far)


def test_orders_are_compared_only_where_every_speed_is_known() -> None:
    assert landscape(made([0, 1, 2], known=True), [None] * 3).orders
    assert not landscape([*made([0, 1], known=True), *made([2])], [None] * 3).orders


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_or_equal_recordings_have_places(count: int) -> None:
    found = landscape(made([0, 1, 2])[:count], ["a"] * count)
    assert found.places.shape == (count, 2)
    same = landscape(made([0])[:1] * 5, [None] * 5)
    assert np.isfinite(same.places).all()


def test_more_recordings_than_features_lie_as_fewer_do() -> None:
    kinds = [0, 1, 2] * 30
    found = landscape(made(kinds), [f"class {kind}" for kind in kinds])
    middles = np.array([found.places[np.array(kinds) == kind].mean(0) for kind in range(3)])
    assert (((found.places[:, None] - middles) ** 2).sum(-1).argmin(1) == kinds).mean() > 0.95
