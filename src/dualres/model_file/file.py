"""One model file: the weights of one network or several, and in the metadata a card that says what they are."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dualres.errors import ModelFileError
from dualres.model_file.card import Card, card_of
from dualres.model_file.integrity import Arrays, unseal

FORMAT = "dualres-model/1"
SUFFIX = ".safetensors"


def read(path: Path) -> tuple[Card, npt.NDArray[np.float64], bytes]:
    """The card of an intact model file of any method, the values of its check windows, and the whole content."""
    kind, fields, checks, blob = unseal(path)
    if kind != FORMAT:
        raise ModelFileError(f"{path}: holds {kind!r}; {FORMAT!r} is what can be read here")
    return card_of(fields, path), checks, blob


def prefixes(networks: int) -> list[str]:
    """What the arrays' names begin with, for each network; a single one's have nothing before them."""
    return [""] if networks == 1 else [f"{number}." for number in range(networks)]


def by_network(arrays: Arrays, card: Card, path: Path) -> list[Arrays]:
    """A file's arrays, those of each network under their own names."""
    if card.networks == 1:
        return [arrays]
    found: dict[str, dict[str, npt.NDArray[Any]]] = defaultdict(dict)
    for full_name, array in arrays.items():
        number, dot, name = full_name.partition(".")
        found[number + dot][name] = array
    expected = prefixes(card.networks)
    if set(found) != set(expected):
        each = f" for each of {card.apart} axes" if card.apart > 1 else ""
        raise ModelFileError(
            f"{path}: its card tells of {card.members} members{each}, and its weights are of others; copy it again"
        )
    return [found[prefix] for prefix in expected]
