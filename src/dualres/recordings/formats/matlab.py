"""MATLAB files, v5 and v7.3, and other HDF5 files: structs, cells and matrices flattened into named vectors.

Names are dotted paths through structs: `Signal.y_values.values`. An element of a struct array that has a text field
`Name` goes by that name, any other by its position. A matrix yields its columns as `name[0]`, `name[1]` ..., or its
rows where those are longer. A number called `fs`, `sr` or the like is the rate of what stands beside and below it, and
one that is called `rpm`, or whose name ends so, is the speed of the shaft.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from dualres.recordings.formats.contents import Array, Contents, LazyArray, Load, Vector, columns
from dualres.recordings.formats.rate_detection import stated_rate, with_time
from dualres.recordings.formats.speed_detection import StatedSpeeds, speed_beside, stated_speeds

Tree = Any  # a variable: dict for a struct, list for an array of structs or a cell, str, arrays, None for the rest
DEEPEST = 50  # levels of groups; a link back to a group above would have no end


@dataclass(frozen=True)
class _Described:
    """An array with attributes, as HDF5 files of other programs have them."""

    array: LazyArray
    attributes: Mapping[str, Tree]


@dataclass(frozen=True)
class _Stated:
    """What numbers say of all that stands beside and below them."""

    rate: Fraction | None = None
    speeds: StatedSpeeds = field(default_factory=dict)


def read_v5(path: Path) -> Contents:
    """A file as MATLAB saves it by default (-v7 and -v6)."""
    from scipy.io import loadmat

    with path.open("rb") as file:
        if 0 in file.read(4):  # later versions begin with text
            raise ValueError("MATLAB v4 is not supported; save it again with -v7")
    content = loadmat(path, squeeze_me=True, struct_as_record=False, appendmat=False)
    return _flattened((key, _tree(value)) for key, value in content.items() if not key.startswith("__"))


def read_v73(path: Path) -> Contents:
    """A file saved with -v7.3, which is HDF5, or one of another program. MATLAB stores arrays transposed."""
    import h5py

    file = h5py.File(path, "r")
    variables = {key: _tree73(file, node) for key, node in _members(file) if not key.startswith("#")}
    return _flattened({**_attributes(file), **variables}.items())


def is_v73(path: Path) -> bool:
    """Whether a file is HDF5: MATLAB puts 512 bytes of its own before the signature, other programs put none."""
    with path.open("rb") as file:
        return b"\x89HDF\r\n\x1a\n" in (file.read(8), file.read(512)[-8:])


def _tree(value: Any) -> Tree:
    if hasattr(value, "_fieldnames"):
        return {field: _tree(getattr(value, field)) for field in value._fieldnames}
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [_tree(element) for element in value.ravel()]
    if isinstance(value, np.ndarray):
        return LazyArray(value.shape, value.dtype.kind, lambda: value)
    if isinstance(value, int | float | np.number):
        return _tree(np.asarray(value))
    return value if isinstance(value, str) else None


def _tree73(file: Any, node: Any, depth: int = 0) -> Tree:
    import h5py

    if depth > DEEPEST:
        raise ValueError(f"it nests more than {DEEPEST} levels deep, or in a circle")
    if isinstance(node, h5py.Group):
        fields = dict(_members(node))
        # The fields of a struct array are arrays of references that claim no class of their own.
        if fields and all(_refers(field) and "MATLAB_class" not in field.attrs for field in fields.values()):
            columns = [_referred(file, field, depth) for field in fields.values()]
            return [dict(zip(fields, element, strict=True)) for element in zip(*columns, strict=True)]
        return {**_attributes(node), **{key: _tree73(file, field, depth + 1) for key, field in fields.items()}}
    if _refers(node):
        elements = _referred(file, node, depth)
        return elements[0] if len(elements) == 1 else elements
    # Data that lie in another file are none of ours: a recording must not be able to name files of this computer.
    if not isinstance(node, h5py.Dataset) or "MATLAB_empty" in node.attrs or node.is_virtual or node.external:
        return None
    if node.attrs.get("MATLAB_class") == b"char":
        return "".join(map(chr, node[()].T.ravel()))
    kind = "c" if node.dtype.names == ("real", "imag") else node.dtype.kind
    array = LazyArray(tuple(n for n in reversed(node.shape) if n != 1), kind, partial(_load73, file, node))
    attributes = _attributes(node)
    return _Described(array, attributes) if attributes else array


def _load73(file: Any, node: Any) -> Array:
    """`file` is held here so that it stays open until then."""
    return np.asarray(node[()].T.squeeze())


def _attributes(node: Any) -> dict[str, Tree]:
    """Single numbers and texts; MATLAB's own say nothing of a recording."""
    found = {name: node.attrs[name] for name in node.attrs if not name.startswith("MATLAB_")}
    return {name: _tree(value) for name, value in found.items() if isinstance(value, str) or np.size(value) == 1}


def _members(group: Any) -> Iterator[tuple[str, Any]]:
    import h5py

    for key in group:
        if isinstance(group.get(key, getlink=True), h5py.HardLink):  # no other kind is written by MATLAB
            yield key, group[key]


def _refers(node: Any) -> bool:
    import h5py

    return isinstance(node, h5py.Dataset) and h5py.check_ref_dtype(node.dtype) is h5py.Reference


def _referred(file: Any, node: Any, depth: int) -> list[Tree]:
    return [_tree73(file, file[reference], depth + 1) for reference in node[()].T.ravel()]


def _flattened(variables: Iterable[tuple[str, Tree]]) -> Contents:
    found = dict(variables)
    stated = _stated(found, _Stated())
    return with_time(dict(chain.from_iterable(_flatten(name, tree, stated) for name, tree in found.items())))


def _flatten(name: str, tree: Tree, stated: _Stated) -> Iterator[tuple[Vector, Load]]:
    if isinstance(tree, dict):
        stated = _stated(tree, stated)
        for member, value in tree.items():
            yield from _flatten(f"{name}.{member}", value, stated)
    elif isinstance(tree, list):
        names = [element.get("Name") if isinstance(element, dict) else None for element in tree]
        for position, (label, element) in enumerate(zip(names, tree, strict=True)):
            unique = isinstance(label, str) and names.count(label) == 1
            yield from _flatten(f"{name}.{label if unique else position}", element, stated)
    elif isinstance(tree, _Described):
        yield from _flatten(name, tree.array, _stated(tree.attributes, stated))
    elif isinstance(tree, LazyArray) and tree.kind in "iufc" and math.prod(tree.shape) > 1:
        speed_hz = speed_beside(name.rpartition(".")[2], stated.speeds)
        known = columns(name, tree)
        yield from ((replace(one, rate=stated.rate, speed_hz=speed_hz), load) for one, load in known)


def _stated(fields: Mapping[str, Tree], above: _Stated) -> _Stated:
    numbers: dict[str, float | str] = {}
    for name, tree in fields.items():
        if isinstance(tree, str):
            numbers[name] = tree
            continue
        value = tree.array if isinstance(tree, _Described) else tree
        if isinstance(value, LazyArray) and value.kind in "iuf" and math.prod(value.shape) == 1:
            numbers[name] = value.load().item()
    return _Stated(stated_rate(numbers) or above.rate, {**above.speeds, **stated_speeds(numbers)})
