"""A map of many recordings: two axes of what they sound like, in closed form, and what lies far from all labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dualres.explain.overview import Glance
from dualres.utils.arrays import Exact

LEAST = 3  # recordings of a map
KEPT = 10  # principal directions; what differs beyond them is mostly noise
LEAST_SPREAD = 0.1  # of the mean spread over features, added to each: what hardly changes must not decide
OWN = 4.0  # labelled recordings for each direction at which their own spread counts as much as that of all
LEAST_LABELLED = 8  # recordings, before any can be told to be far from them


@dataclass(frozen=True)
class Landscape:
    """Places of recordings, in their order."""

    places: Exact  # (n, 2)
    by: str  # "classes" where axes set labelled classes apart, else "variation"
    orders: bool  # whether recordings are compared by multiples of their shafts' rates
    far: tuple[bool, ...]  # farther from all that is labelled than any labelled recording is from the others


def landscape(glances: Sequence[Glance], labels: Sequence[str | None]) -> Landscape:
    """Of recordings with the labels that they have; of fewer than `LEAST`, all in one place."""
    orders = bool(glances) and all(one.by_order for one in glances)
    if len(glances) < LEAST:
        return Landscape(np.zeros((len(glances), 2)), "variation", orders, (False,) * len(glances))
    scores = _principal(_features(glances, orders))
    directions = _between(scores, labels)
    by = "classes" if directions is not None else "variation"
    places = scores[:, :2] if directions is None else scores @ directions
    if places.shape[1] < 2:
        places = np.concatenate([places, np.zeros((len(places), 2 - places.shape[1]))], axis=1)
    return Landscape(_upright(places), by, orders, _far(scores, labels))


def _features(glances: Sequence[Glance], orders: bool) -> Exact:
    """(n, features), each view counting the same."""
    parts = []
    for name in glances[0].by_hz:
        view = np.array([(one.by_order if orders else one.by_hz)[name] for one in glances], dtype=np.float64)
        view -= view.mean(0)
        spread = view.std(0)
        parts.append(view / (spread + LEAST_SPREAD * spread.mean() + 1e-12) / np.sqrt(view.shape[1]))
    return np.concatenate(parts, axis=1)


def _principal(features: Exact) -> Exact:
    """What differs most, (n, directions) of unit spread each; at least one direction."""
    few = len(features) < features.shape[1]  # the smaller of two matrices that say the same
    values, vectors = np.linalg.eigh(features @ features.T if few else features.T @ features)
    values, vectors = values[::-1], vectors[:, ::-1]
    count = min(KEPT, max(1, len(features) // 3), max(1, int((values > 1e-9 * max(values[0], 1e-30)).sum())))
    scores = vectors[:, :count] if few else features @ vectors[:, :count]
    return np.asarray(scores / np.maximum(scores.std(0), 1e-30))


def _between(scores: Exact, labels: Sequence[str | None]) -> Exact | None:
    """Two directions along which labelled classes are apart, by their spread; with few labels by that of all."""
    classes = sorted({label for label in labels if label})
    of_class = [np.array([label == one for label in labels]) for one in classes]
    labelled = sum(int(chosen.sum()) for chosen in of_class)
    if len(classes) < 2 or labelled < len(classes) + 2 or scores.shape[1] < 2:
        return None
    means = np.array([scores[chosen].mean(0) for chosen in of_class])
    within = sum(
        ((own := scores[chosen] - mean).T @ own for chosen, mean in zip(of_class, means, strict=True)),
        start=np.zeros((scores.shape[1], scores.shape[1])),
    ) / (labelled - len(classes))  # fmt: skip
    share = labelled / (labelled + OWN * scores.shape[1])
    spread = share * within + (1 - share) * np.eye(scores.shape[1])
    values, vectors = np.linalg.eigh(spread)
    whiten = vectors / np.sqrt(np.maximum(values, 1e-9))
    apart = (means - means.mean(0)) @ whiten
    found = np.linalg.svd(apart, full_matrices=True)[2]
    rank = min(2, len(classes) - 1)
    chosen = found[:rank]
    if rank < 2:  # of two classes: beside what sets them apart, what varies most
        rest = scores @ whiten
        rest = rest - rest @ chosen.T @ chosen
        chosen = np.concatenate([chosen, np.linalg.svd(rest.T @ rest)[2][:1]])
    return np.asarray(whiten @ chosen.T)


def _upright(places: Exact) -> Exact:
    """With the same signs every time, within about one."""
    longer = np.where(np.abs(places.min(0)) > places.max(0), -1.0, 1.0)
    return np.asarray(places * longer / max(float(np.abs(places).max()), 1e-30))


def _far(scores: Exact, labels: Sequence[str | None]) -> tuple[bool, ...]:
    known = np.array([bool(label) for label in labels])
    if known.sum() < LEAST_LABELLED:
        return (False,) * len(labels)
    others = scores[known]
    apart = [float(np.sort(((others - one) ** 2).sum(1))[1]) for one in others]
    limit = max(apart)
    nearest = np.array([float(((others - one) ** 2).sum(1).min()) for one in scores])
    return tuple((~known & (nearest > limit)).tolist())
