"""A table in memory to a recording: pandas' DataFrame and Series, xarray's DataArray and Dataset.

They are known by what they have, so that neither library is needed or imported. Each column is an axis. The rate comes
from `attrs["rate"]` or `attrs["hz"]`, or else from the index: moments, or seconds as floating-point numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.formats.contents import ALL, TIME, Array, Contents, Vector, choose_several, printable
from dualres.recordings.formats.rate_detection import rate_by_time, unit_in, with_time
from dualres.recordings.readers import Channel, Usual, checked, held
from dualres.recordings.recording import Origin, Recording, joined, of_axes
from dualres.utils.rates import Rate, exact_rate

STATED = ("rate", "hz")  # names in `attrs` under which a rate stands
_HOW = "give it in Hz (rate=...), set attrs['rate'], or index the samples by time"
_OFF = Fraction(1, 1000)  # by how much moments may differ from a rate that is stated


@runtime_checkable
class Frame(Protocol):
    """A table of samples that says something of itself."""

    @property
    def attrs(self) -> Mapping[Any, Any]: ...


def is_frame(given: object) -> TypeGuard[Frame]:
    """Whether something is a DataFrame, a Series, a DataArray or a Dataset."""
    looks = (("data_vars",), ("dims", "coords", "values"), ("columns", "index"), ("index", "iloc"))
    kind = type(given)
    return hasattr(kind, "attrs") and any(all(hasattr(kind, name) for name in some) for some in looks)


@dataclass(frozen=True)
class _Columns:
    """What such a table holds, as arrays."""

    values: Mapping[str, Array]
    units: Mapping[str, str]  # of the samples, by column, where that is said
    index: Array | None  # what its rows are known by; None for nothing
    index_name: str = ""
    index_unit: str = ""


def read_frame(frame: Frame, channel: Channel, rate: Rate | None, usual: Usual | None) -> Recording:
    """As `dualres.read`; every column is taken where no `channel` is chosen."""
    name = _name_of(frame)
    try:
        columns = _columns_of(frame)
        listing = _listed(columns)
        if channel is None:
            signals = [one for one in listing if one.fault is None]
            chosen_like = usual.channel_in(listing) if usual else None
            channel = chosen_like or (ALL if len(signals) > 1 else None)
        chosen = choose_several(listing, channel)
        hz = _rate(frame, columns, chosen[0], None if rate is None else exact_rate(rate))
    except (ValueError, TypeError) as error:
        raise RecordingError(f"{name}: {error}") from None
    each = []
    for one in chosen:
        called = f"{name}: {printable(one.name)}" if len(chosen) > 1 else name
        samples = joined(checked(called, [columns.values[one.name]]), one.length)
        alone = sum(other.fault is None for other in listing) == 1
        origin = Origin(channel=one.name, unit=columns.units.get(one.name), alone=alone)
        each.append(Recording(name, partial(held, samples), hz, origin=origin))
    return each[0] if len(each) == 1 else of_axes(each, name)


def _name_of(frame: Frame) -> str:
    own = getattr(frame, "name", None)  # of a DataFrame, a column of that name
    said = frame.attrs.get("id") or (own if isinstance(own, str) else None)
    return str(said or type(frame).__name__)


def _columns_of(frame: Any) -> _Columns:
    if hasattr(frame, "data_vars"):
        return _of_dataset(frame)
    if hasattr(frame, "dims"):
        return _of_array(frame)
    names, each = [""], [frame]
    if hasattr(frame, "columns"):
        names = [", ".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in frame.columns]
        each = [frame.iloc[:, number] for number in range(len(names))]
    else:
        names = [str(frame.name) if frame.name is not None else "signal"]
    if len(set(names)) < len(names):
        raise ValueError(f"two columns are called {max(names, key=names.count)}; every axis needs a name of its own")
    values = {name: np.asarray(one.to_numpy()) for name, one in zip(names, each, strict=True)}
    index = np.asarray(frame.index.values) if getattr(frame.index, "nlevels", 1) == 1 else None
    return _Columns(values, {}, index, str(frame.index.name or ""))


def _of_array(array: Any) -> _Columns:
    if len(array.dims) not in (1, 2):
        shape = ", ".join(f"{name} ({size})" for name, size in zip(array.dims, array.shape, strict=True))
        raise ValueError(f"its dimensions are {shape}; select one measurement, of time or of time and axes")
    time = _time_of(array)
    (other,) = [one for one in array.dims if one != time] or [None]
    if other is None:
        names = [str(array.name) if array.name is not None else "signal"]
        rows: Sequence[Array] = [np.asarray(array.values)]
    else:
        rows = list(np.asarray(array.transpose(other, time).values))
        said = other in array.coords
        names = list(map(str, array.coords[other].values if said else range(1, len(rows) + 1)))
    if len(set(names)) < len(names):
        raise ValueError(f"two axes are called {max(names, key=names.count)}; every axis needs a name of its own")
    unit = str(array.attrs.get("units") or "")
    values = dict(zip(names, rows, strict=True))
    return _indexed(array, time, values, dict.fromkeys(names, unit) if unit else {})


def _of_dataset(dataset: Any) -> _Columns:
    along = {one.dims for one in dataset.data_vars.values()}
    if len(along) != 1 or len(dims := along.pop()) != 1:
        raise ValueError("its variables do not lie along one dimension of time; select those that do")
    values = {str(name): np.asarray(one.values) for name, one in dataset.data_vars.items()}
    units = {str(name): str(one.attrs["units"]) for name, one in dataset.data_vars.items() if one.attrs.get("units")}
    return _indexed(dataset, dims[0], values, units)


def _indexed(data: Any, time: Any, values: Mapping[str, Array], units: Mapping[str, str]) -> _Columns:
    if time not in data.coords:
        return _Columns(values, units, None)
    moments = data.coords[time]
    return _Columns(values, units, np.asarray(moments.values), str(time), str(moments.attrs.get("units") or ""))


def _time_of(array: Any) -> Any:
    """The dimension that samples follow each other along: the one with moments, or with a name of time, or the
    longest."""
    timed = [one for one in array.dims if one in array.coords and array.coords[one].values.dtype.kind in "mMf"]
    called = [one for one in array.dims if unit_in(str(one)) is not None]
    longest = max(array.dims, key=lambda one: array.shape[array.dims.index(one)])
    return next(iter([*timed, *called]), longest)


def _listed(columns: _Columns) -> list[Vector]:
    """The columns as vectors of a file are listed; one that holds time gives the others their rate."""
    contents: Contents = {
        Vector(name, len(values), values.dtype.kind): partial(held, values) for name, values in columns.values.items()
    }
    listed = list(with_time(contents, table=True))
    return [replace(one, kind=TIME) if one.kind in "mM" else one for one in listed]


def _rate(frame: Frame, columns: _Columns, one: Vector, given: Fraction | None) -> Fraction:
    """In Hz: as the argument, `attrs` or time say; an error where they do not agree."""
    said = dict(_said(frame, given))
    if len(set(said.values())) > 1:
        raise ValueError(f"its rate is {_several(said)}; leave out what is wrong")
    stated = next(iter(said.values()), None)
    measured, note = (one.rate, one.note) if one.rate or one.note else _by_index(columns)
    if stated is None:
        if measured is None:
            raise ValueError(f"{note or 'nothing says its sampling rate'}; {_HOW}")
        return measured
    if measured is not None and abs(stated - measured) > _OFF * measured:
        raise ValueError(f"its rate is {_several(said)}, but {float(measured):.10g} Hz {note}; leave out what is wrong")
    return stated


def _said(frame: Frame, given: Fraction | None) -> Iterator[tuple[str, Fraction]]:
    if given is not None:
        yield "rate", given
    for name in STATED:
        if frame.attrs.get(name) is not None:
            try:
                yield f"attrs[{name!r}]", exact_rate(frame.attrs[name])
            except ConfigError as error:
                raise ValueError(f"attrs[{name!r}]: {error}") from None


def _several(said: Mapping[str, Fraction]) -> str:
    return " and ".join(f"{float(hz):.10g} Hz ({where})" for where, hz in said.items())


def _by_index(columns: _Columns) -> tuple[Fraction | None, str | None]:
    """The rate by the index, where it is one of time; else why not."""
    index, unit = columns.index, columns.index_unit or unit_in(columns.index_name) or ""
    if index is None or len(index) < 2 or index.dtype.kind not in ("mMfiu" if unit else "mMf"):
        return None, None
    return rate_by_time(index, unit, f"its index{f', {columns.index_name}' if columns.index_name else ''}")
