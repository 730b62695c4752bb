"""Windows and the speeds of shafts to log-probabilities by the compiled kernel of the network of orders."""

import ctypes
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dualres.config import HALF_SWING_HZ, ORDER_SIZES, VIEW_SIZES, ModelConfig
from dualres.kernel.compiled import address, function
from dualres.kernel.inference import ADDRESS, TOGETHER, EntryPoint, Kernel, in_pieces, none_here, pieces_of
from dualres.kernel.pack import bands, bin_order, fft_tables, in_one_run, turns
from dualres.kernel.threads import room, share_out, thread_count
from dualres.model.kinds import MovableViews, OrderParts
from dualres.model.reference import orders as reference
from dualres.model.reference.orders import Looks, line_hz, misfit_ref
from dualres.model.reference.spectra import hann
from dualres.model.views.order_weights import OrdersWeights
from dualres.model.views.weights import HEAD, moved
from dualres.utils.arrays import Exact, Floats, Reals

BANK_ROOM, MIRRORED, ENVELOPE, LINES, PART_BINS, PART_ROOM = 240, 160, 1984, 1024, 129, 144  # as orders.h has them
MOST_CLASSES = 1024  # likewise; NumPy judges the looks of networks with more
LOOKED_TOGETHER = 4 * TOGETHER  # windows: the half that each piece looks at beside its windows is a few percent of 16
TRIES = 48  # speeds of a shaft that a thread tries in one call: whole vectors

_SIZES = ctypes.c_size_t


def looks_of(config: ModelConfig, windows: Floats) -> Looks:
    """What is seen of raw windows (n, window), by the compiled kernel where there is one for these sizes."""
    if OrdersKernel.serves(config):
        return _looks_in(_seen(config, windows), config)
    return reference.looks(config, windows)


def logits(weights: OrdersWeights, looks: Looks, hz: Exact | None = None) -> Floats:
    """What was seen of windows, of shafts that turn at `hz` (n,), NaN where that is not known, to (n, classes)."""
    if OrdersKernel.serves(weights.config):
        return _kernel(weights).logits_of(looks, hz)
    return reference.of_looks(weights, looks, hz).astype(np.float32)


def misfit(weights: OrdersWeights, looks: Looks, hz: Exact) -> Exact:
    """How badly n windows of one recording, by their looks, fit the network if shafts turn at (tries, n) Hz: (tries,),
    in nats, as `misfit_ref` explains."""
    if OrdersKernel.serves(weights.config):
        return _kernel(weights).misfit(looks, hz)
    return misfit_ref(weights, looks, hz)


PARTS = OrderParts(Looks, looks_of, logits, misfit)
MOVABLE = MovableViews(reference.views_by_head, moved)


class OrdersKernel(Kernel):
    """A network of orders as it was when this was made; its logits are log-probabilities."""

    names = ("dualres_orders_see", "dualres_orders_scratch")

    def __init__(self, weights: Any) -> None:
        super().__init__(weights)
        self._weights: OrdersWeights = weights

    @staticmethod
    def pack(weights: Any) -> tuple[Floats, Floats]:
        return packed_orders(weights)

    def logits(self, windows: Floats, hz: Exact | None = None) -> Floats:
        """Raw windows (n, window) of shafts that turn at `hz` (n,), NaN where that is not known, to (n, classes): the
        same to the last bit, whatever else is scored."""
        if self._classes > MOST_CLASSES:
            return self.logits_of(looks_of(self._weights.config, windows), hz)
        return self._judged(_seen(self._weights.config, windows), hz)

    def logits_of(self, looks: Looks, hz: Exact | None = None) -> Floats:
        """The same of what is seen of them."""
        if self._classes > MOST_CLASSES:
            return reference.of_looks(self._weights, looks, hz).astype(np.float32)
        return self._judged(_rows_of(looks), hz)

    def _judged(self, rows: Floats, hz: Exact | None) -> Floats:
        judge = function("dualres_orders_judge", [ADDRESS, ADDRESS, _SIZES, ADDRESS, ADDRESS, ADDRESS]) or none_here()
        model = self._model
        known = None if hz is None or self._weights.speeds_hz is None else np.ascontiguousarray(hz, np.float64)
        logits = np.empty((len(rows), self._classes), np.float32)

        def go(first: int, last: int, own: int) -> None:
            speeds = None if known is None else _place(known, first)
            judge(ctypes.byref(model), _place(rows, first), last - first, speeds, _place(logits, first), own)

        _in_pieces(len(rows), TOGETHER, go)
        return logits

    def misfit(self, looks: Looks, hz: Exact) -> Exact:
        """As the function of this name."""
        hear = function("dualres_orders_hear", [ADDRESS, ADDRESS, ADDRESS, _SIZES, ADDRESS]) or none_here()
        fit = function("dualres_orders_misfit", [ADDRESS, ADDRESS, _SIZES, _SIZES, ADDRESS, ADDRESS]) or none_here()
        model, lines = self._model, np.ascontiguousarray(looks.lines, np.float32)
        speeds, constants = np.ascontiguousarray(hz.T, np.float64), _packed_constants(self._weights.config)
        views, found = np.zeros((len(hz), ORDER_SIZES.lines), np.float32), np.empty(len(hz), np.float32)

        of_lines, of_speeds, of_views = (array.ctypes.data for array in (lines, speeds, views))

        def go(first: int, last: int, own: int) -> None:
            mine = of_views + first * views.strides[0]
            for window in range(len(lines)):
                speed = of_speeds + window * speeds.strides[0] + first * speeds.itemsize
                hear(constants.ctypes.data, of_lines + window * lines.strides[0], speed, last - first, mine)
            fit(ctypes.byref(model), mine, len(lines), last - first, _place(found, first), own)

        _in_pieces(len(hz), TRIES, go)
        return found.astype(np.float64)


def _kernel(weights: OrdersWeights) -> OrdersKernel:
    """Made once for a network."""
    known = _kernels.get(weights)
    if known is None:
        known = _kernels[weights] = OrdersKernel(weights)
    return known


_kernels: WeakKeyDictionary[OrdersWeights, OrdersKernel] = WeakKeyDictionary()


def packed_orders(weights: OrdersWeights) -> tuple[Floats, Floats]:
    """The kernel's constants and heads, in the order of `dualres_orders_constants` and of `dualres_orders_model`."""
    return _packed_constants(weights.config), in_one_run(_heads(weights))


def scratch_bytes() -> int:
    """Working memory of the variant in use beside the window; 0 without one."""
    entry = OrdersKernel.entry()
    return 4 * entry[1] if entry else 0


def _entry() -> EntryPoint:
    return OrdersKernel.entry() or none_here()


def _seen(config: ModelConfig, windows: Floats) -> Floats:
    """Looks of raw windows, (n, floats), as `dualres_orders_looks` has them."""
    see, scratch = _entry()
    floats = config.short_bins + config.long_bins + LINES + VIEW_SIZES.bands * ORDER_SIZES.bank
    constants, rows = _packed_constants(config), np.empty((len(windows), floats), np.float32)

    def go(read: int, first: int, last: int, own: int) -> None:
        see(constants.ctypes.data, read, last - first, _place(rows, first), own)

    in_pieces(windows, config.window, scratch, go, together=LOOKED_TOGETHER)
    return rows


def _in_pieces(count: int, most: int, go: Callable[[int, int, int], object]) -> None:
    """`go(first, last, own)` for numbers from `first` up to `last`, `most` at a time, by all threads."""
    _, scratch = _entry()
    threads = thread_count()
    pieces = pieces_of(count, most, threads)

    def run(piece: int) -> None:
        go(piece * count // pieces, (piece + 1) * count // pieces, address(room(scratch)))

    share_out(run, range(pieces), min(threads, pieces))


def _place(rows: Floats | Exact, number: int) -> int:
    """Where a row lies of those that lie one behind the other."""
    return int(rows.ctypes.data) + number * rows.strides[0]


def _looks_in(rows: Floats, config: ModelConfig) -> Looks:
    spectra, lines, swings = np.split(rows, np.cumsum([config.short_bins + config.long_bins, LINES]), axis=1)
    return Looks(spectra, swings.reshape(len(rows), VIEW_SIZES.bands, ORDER_SIZES.bank), lines)


def _rows_of(looks: Looks) -> Floats:
    """Those of `_looks_in`; without a copy where they lie side by side still."""
    rows = _side_by_side(looks)
    if rows is not None:
        return rows
    swings = looks.swings.reshape(len(looks.swings), VIEW_SIZES.bands * ORDER_SIZES.bank)
    return np.concatenate([looks.spectra, looks.lines, swings], axis=1, dtype=np.float32, casting="same_kind")


def _side_by_side(looks: Looks) -> Floats | None:
    """The rows that looks are views into; None where they are not."""
    count, spectra = looks.spectra.shape
    lines, each = spectra + looks.lines.shape[1], looks.swings.shape[2]
    floats = lines + looks.swings.shape[1] * each
    begin = looks.spectra.ctypes.data
    places: list[tuple[Reals, int, tuple[int, ...]]] = [
        (looks.spectra, 0, (4 * floats, 4)),
        (looks.lines, spectra, (4 * floats, 4)),
    ]
    places.append((looks.swings, lines, (4 * floats, 4 * each, 4)))
    if not count or any(
        part.dtype != np.float32 or part.strides != strides or part.ctypes.data != begin + 4 * offset
        for part, offset, strides in places
    ):
        return None
    return np.lib.stride_tricks.as_strided(looks.spectra, (count, floats), (4 * floats, 4), writeable=False)


@lru_cache(2)
def _packed_constants(config: ModelConfig) -> Floats:
    return in_one_run(_constants(config))


def _constants(config: ModelConfig) -> Iterator[Exact]:
    yield from fft_tables(config)
    yield from bands(config)
    for bins in (config.short_bins, config.long_bins):
        yield np.argsort(bin_order(bins)).astype(np.float64)
    yield from (np.pad(part, (0, BANK_ROOM - len(part))) for part in _oscillators(config))
    yield hann(ENVELOPE)[: ENVELOPE // 2 + 1]
    yield np.pad(turns(np.arange(PART_BINS) / (2 * LINES)), ((0, PART_ROOM - PART_BINS), (0, 0))).T
    yield np.array([ORDER_SIZES.usual_hz, HALF_SWING_HZ])
    yield from map(_pair, _axes(config))


def _oscillators(config: ModelConfig) -> Iterator[Exact]:
    """`left` to `last` of `dualres_orders_constants`."""
    theta = 2 * np.pi * np.array(ORDER_SIZES.oscillator_hz) / (2 * config.token_rate)
    alpha, cosine = np.exp(-theta / (2 * ORDER_SIZES.quality)), np.cos(theta)
    cosine[MIRRORED:] *= -1
    drawn, ahead = (1 - alpha) ** 2 + 2 * alpha * (1 - cosine), alpha * (alpha - cosine)
    after = alpha**2 / (1 - alpha**2)  # energy yet to come of an oscillator that is left alone
    yield from (alpha**2, drawn, alpha * cosine)
    yield from (after * drawn - ahead, -2 * after * ahead, after * alpha**2)


def _axes(config: ModelConfig) -> Iterator[float]:
    """Where both views are read: `per_nat` to `line_ratio` of `dualres_orders_constants`."""
    first, second = ORDER_SIZES.axis(ORDER_SIZES.oscillators)[:2]
    yield 1 / ORDER_SIZES.bank_step
    yield np.log(first / ORDER_SIZES.bank_hz[0]) / ORDER_SIZES.bank_step
    yield np.log(second / first) / ORDER_SIZES.bank_step
    first, second = ORDER_SIZES.axis(ORDER_SIZES.lines * ORDER_SIZES.near)[:2]
    yield first / line_hz(config, LINES)
    yield second / first


def _pair(number: float) -> Exact:
    """A float32 and what it leaves."""
    near = np.float32(number).astype(np.float64)
    return np.array([near, number - near])


def _heads(weights: OrdersWeights) -> Iterator[Floats]:
    for head in ORDER_SIZES.features(weights.config):
        for name in HEAD:
            yield weights.arrays[f"heads.{head}.{name}"]
