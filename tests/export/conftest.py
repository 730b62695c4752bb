import ctypes
import platform
import shutil
import subprocess
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest
import torch

from dualres.config import HELD, ModelConfig, Recipe
from dualres.export.c99 import write_c99
from dualres.export.compiler import SOURCES, STRICT
from dualres.judge.model import Model
from dualres.kernel import compiled
from dualres.model.kinds import ORDERS, VIEWS
from dualres.model.network import DualRes
from dualres.model_file.card import Card
from tests.model.made_orders import made_orders, made_turning
from tests.model.made_views import made_views

WINDOW = 32_768
CLASSES = (
    "healthy",
    'inner "race"??/',
    "Wälzkörper */",
    "%s\n",
    "outer",
    "\x1b[31mred",
    "as exported\nstate: 1 bytes, of which window: 2\n",
    "class 9",
)


def made_model(config=None, classes=CLASSES, resampler=HELD, members=1, **axes):
    """Networks whose weights are all away from where they start, so that nothing in them is idle."""
    config = config or ModelConfig()
    card = Card(classes, config, Recipe(), 7, resampler, dict.fromkeys(classes, 6.144), members=members, **axes)
    return Model(tuple(_made_network(len(classes), config, 7 + number) for number in range(card.networks)), card)


def _made_network(classes, config, seed):
    network = DualRes(classes, config, seed=seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
        network.head.weight.mul_(3.0)
    return network.eval()


def made_views_model(classes=CLASSES, members=1, **axes):
    exposure = dict.fromkeys(classes, 3.072)
    card = Card(classes, ModelConfig(), None, 0, HELD, exposure, members=members, method=VIEWS.method, **axes)
    return Model(tuple(made_views(len(classes), seed=2 * number) for number in range(card.networks)), card)


def made_orders_model(classes=CLASSES, members=1, *, labelled=True, **axes):
    exposure = dict.fromkeys(classes, 3.072)
    card = Card(classes, ModelConfig(), None, 0, HELD, exposure, members=members, method=ORDERS.method, **axes)
    seeds = range(0, 2 * card.networks, 2)
    return Model(tuple(made_orders(len(classes), seed, labelled=labelled) for seed in seeds), card)


def made_turning_model(members=1, **axes):
    """Three kinds of impacts at orders of a shaft."""
    exposure = dict.fromkeys(CLASSES[:3], 4.096)
    card = Card(CLASSES[:3], ModelConfig(), None, 0, HELD, exposure, members=members, method=ORDERS.method, **axes)
    return Model(tuple(made_turning(3, 100 * number) for number in range(card.networks)), card)


def made_comparator(classes=CLASSES):
    card = Card(classes, ModelConfig(), None, 0, HELD, dict.fromkeys(classes, 3.072), method="minirocket")
    return Model((object(),), card)


AXES = ("x", 'radial "2"\n', "z")
MODELS = {
    "paper": made_model,
    "views": made_views_model,
    "paper members": partial(made_model, members=3),
    "views members": partial(made_views_model, members=2),
    "paper apart": partial(made_model, channels=AXES, axes="apart"),
    "paper shared": partial(made_model, channels=AXES, axes="shared", members=2),
    "views apart": partial(made_views_model, channels=AXES, axes="apart"),
    "views shared": partial(made_views_model, channels=AXES[:2], axes="shared"),
    "orders": made_orders_model,
    "orders members": partial(made_orders_model, members=2),
    "orders apart": partial(made_orders_model, channels=AXES, axes="apart"),
    "orders shared": partial(made_orders_model, channels=AXES[:2], axes="shared"),
    "orders search": partial(made_turning_model, channels=AXES[:2], axes="shared"),
    "orders search members": partial(made_turning_model, members=2),
}
TRIES = 11  # of those that search for the speed


def tries_of(which):
    return TRIES if "search" in which else 0


@cache
def model_called(which):
    return MODELS[which]()


@pytest.fixture(scope="session")
def model():
    return model_called("paper")


@pytest.fixture(scope="session")
def views_model():
    return model_called("views")


@pytest.fixture(scope="session")
def compiler():
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler here")
    return "cc"


@pytest.fixture
def no_compiler(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")


@pytest.fixture(scope="session")
def board(compiler, tmp_path_factory):
    """Exports by model, rate in Hz and kind of samples, each made when it is first asked for."""
    made = {}

    def get(which, rate=12_800, int16=False):
        if (which, rate, int16) not in made:
            folder = tmp_path_factory.mktemp("exported") / "board"
            model, search = model_called(which), tries_of(which)
            made[which, rate, int16] = write_c99(model, folder, rate, int16=int16, search=search)
        return made[which, rate, int16]

    return get


@pytest.fixture(scope="session")
def exported(board):
    return partial(board, "paper")


@pytest.fixture(scope="session")
def exported_views(board):
    return partial(board, "views")


def needs_fused_products():
    """Networks of views see how the little fluctuates that resampling leaves above a low rate's own band: rounding."""
    if compiled.variant() not in ("avx2", "avx512") and not (compiled.variant() and platform.machine() == "aarch64"):
        pytest.skip("the library in use does not multiply and add at once, and so does not round as devices do")


def shared_library(folder):
    library = folder / "build" / "shared.so"
    library.parent.mkdir(exist_ok=True)
    sources = [folder / name for name in SOURCES]
    subprocess.run(["cc", *STRICT, "-shared", "-fPIC", *sources, "-lm", "-o", library], check=True)
    return ctypes.CDLL(str(library))


class Device:
    def __init__(self, exported, int16, which):
        self.library, self.kind = shared_library(exported.folder), which.split()[0]
        self.classes = len(model_called(which).classes)
        self.dtype = np.int16 if int16 else np.float32
        self.state = ctypes.create_string_buffer(exported.checks[0].state + 16)
        self.library.dualres_verdict.restype = _result(self.classes, searches=tries_of(which) > 0)
        self.begin()

    def begin(self):
        self.library.dualres_init(self.state)

    def set_speed(self, hz):
        self.library.dualres_set_speed(self.state, ctypes.c_float(hz))

    def push(self, samples, piece=None):
        samples = np.ascontiguousarray(samples, dtype=self.dtype)
        for part in np.array_split(samples, max(1, len(samples) // piece)) if piece else [samples]:
            # Frames are rows: as many as there are, whatever the number of axes.
            self.library.dualres_push(self.state, part.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(len(part)))

    def end(self):
        self.library.dualres_push(self.state, None, ctypes.c_size_t(0))

    def verdict(self):
        return self.library.dualres_verdict(self.state)

    def judge(self, samples, hz=0.0):
        self.begin()
        self.set_speed(hz)
        self.push(samples)
        self.end()
        return self.verdict()

    def window(self, count):
        """The first samples at 64 kHz of the window under way, or of the one that was under way at the end."""
        return np.frombuffer(self.state, self.dtype, count).copy()

    def logits(self, window, hz=0.0):
        window = np.ascontiguousarray(window, dtype=self.dtype)
        logits, scratch = np.empty(self.classes, np.float32), ctypes.create_string_buffer(32 * 1024)
        model = ctypes.addressof(ctypes.c_char.in_dll(self.library, "dualres_this_model"))
        read, write = (array.ctypes.data_as(ctypes.c_void_p) for array in (window, logits))
        one = ctypes.c_size_t(1)
        if self.kind == "orders":
            constants, room = ctypes.c_void_p.from_address(model), self.library.dualres_orders_room
            room.restype = ctypes.c_void_p
            looks = ctypes.c_void_p(room(scratch))
            self.library.dualres_orders_see(constants, read, one, looks, scratch)
            told = ctypes.byref(ctypes.c_double(hz))
            self.library.dualres_orders_judge(ctypes.c_void_p(model), looks, one, told, write, scratch)
        else:
            score = {"paper": "dualres_windows", "views": "dualres_views"}[self.kind]
            self.library[score](ctypes.c_void_p(model), read, one, write, scratch)
        return logits


def _result(classes, searches=False):
    found = [("factor", ctypes.c_double), ("speed", ctypes.c_double)] if searches else []

    class Result(ctypes.Structure):
        _fields_ = [
            ("label", ctypes.c_char_p),
            ("best", ctypes.c_int),
            ("windows", ctypes.c_uint32),
            ("refused", ctypes.c_uint32),
            ("unjudged", ctypes.c_uint32),
            ("probabilities", ctypes.c_double * classes),
            *found,
        ]

    return Result


@pytest.fixture(scope="session")
def library_of(board):
    made = {}

    def get(which, rate, int16=False):
        if (which, rate, int16) not in made:
            made[which, rate, int16] = Device(board(which, rate, int16), int16, which)
        made[which, rate, int16].begin()
        return made[which, rate, int16]

    return get


@pytest.fixture(scope="session")
def device(library_of):
    return partial(library_of, "paper")


def machine(seconds, rate, seed=0):
    rate, rng = Fraction(rate), np.random.default_rng(seed)
    t = np.arange(int(seconds * rate)) / float(rate)
    signal = np.sin(2 * np.pi * 870 * t) + 0.3 * rng.standard_normal(len(t))
    signal[:: len(t) // 37] += 6.0
    return signal.astype(np.float32)


def odd_windows():
    t, plain = np.arange(WINDOW), machine(0.512, 64_000)
    windows = {
        "plain": plain,
        "silent": 0.0 * plain,
        "constant": np.full(WINDOW, 0.1),
        "offset": plain + 1000 * plain.std(),
        "negative offset": plain - 300.0,
        "knock": t == 12_345,
        "step": t > 20_000,
        "first sample": 5.0 * (t == 0),
        "slope": t / WINDOW,
        "tone on a bin": np.cos(2 * np.pi * t / 8),
    }
    windows |= {f"1e{exponent}": plain * 10.0**exponent for exponent in (-44, -30, -6, 6, 30)}
    return {name: np.asarray(window, np.float32) for name, window in windows.items()}


ODD_WINDOWS = odd_windows()
