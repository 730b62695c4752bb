"""Does a model with hostile names break an export? Adds up in a state file, see _tally.py.

    python stress/exports.py 10000 --state exports.json

Class names, the unit of a promise, rates and the names of targets hold quotes, backslashes, trigraphs, line breaks,
ends of comments, NULs and whatever else a user's files may bring. C comes as it is, and as a library for Arduino and
others. A failure is

* an exception that a caller would not expect, or one of ours for names that could have been exported,
* C that is not plain ASCII, that holds a trigraph, or that another program would read as other names: literals are
  decoded again in every try, a program that prints them is compiled in every 20th, the whole export in every 500th,
* an ONNX file whose card has other names,
* a file beside the target that was made or changed, or half a target.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from _hostile import TEXTS, pick, seen
from _tally import Attack, main
from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.errors import DualResError
from dualres.export import sources
from dualres.export.c99 import LONGEST_TEXT, write_c99
from dualres.export.compiler import STRICT, host_compiler
from dualres.export.layouts.catalogue import FLAT, LAYOUTS
from dualres.export.onnx import CARD, write_onnx
from dualres.judge.model import Model
from dualres.judge.trust.calibration import Calibration, held_out
from dualres.judge.trust.novelty import NoveltyFeatures
from dualres.model.network import DualRes
from dualres.model_file.card import Card

CLASSES = 3
RATES = ("64000", "12800", "48000", "200000/3", "12.8kHz")
NO_RATES = ("0", "-1", "nan", "inf", "1e999", "1e-999", "1/0", "9" * 5000, "", "kHz", "1e300", "64000.0000001", "\0")
TARGETS = (
    "board",
    "a b",
    "*",
    "x\ny",
    "-o",
    "'\"",
    "\u8f74\u627f",
    "%s",
    "${HOME}",
    "x" * 300,
    "a\0b",
    "..",
    "taken",
    "a/b/c",
)
C_FILES = (".c", ".h", ".inc", ".ino", ".cpp")
COMPILED, CHECKED = 20, 500  # tries, of which one is
PRINTING = """
#include <stdio.h>
int main(void) {
    int i;
    for (i = 0; i < DUALRES_CLASSES; i++) fwrite(dualres_names[i], 1, sizeof(char) + strlen(dualres_names[i]), stdout);
    return 0;
}
"""


def hostile_name(rng: np.random.Generator) -> str:
    """One text, several, or bytes at random as UTF-8 makes them."""
    way = rng.random()
    if way < 0.4:
        return str(pick(TEXTS, rng))
    if way < 0.7:
        return "".join(pick(TEXTS[:-4], rng)[:40] for _ in range(rng.integers(2, 6)))
    if way < 0.97:
        return "".join(chr(c) for c in rng.integers(1, 256 if way < 0.9 else 0xD800, size=rng.integers(1, 40)))
    return "n" * int(rng.integers(LONGEST_TEXT - 2, LONGEST_TEXT + 3))


class Models:
    """Models of one network, which is made once, with names at random."""

    def __init__(self) -> None:
        config = ModelConfig()
        self._network = DualRes(CLASSES, config, seed=1).eval()
        names = tuple("abc")
        self._card = Card(
            names, config, Recipe(updates=7), 3, POLYPHASE, dict.fromkeys(names, 1.5), "component", {}, ()
        )

    def hostile(self, rng: np.random.Generator) -> Model:
        names: dict[str, None] = {}
        while len(names) < CLASSES:  # each differs, as a model file demands
            names[hostile_name(rng) if rng.random() < 0.7 else f"class {len(names)}"] = None
        classes = tuple(names)
        seconds = dict.fromkeys(classes, 1.5)
        card = replace(self._card, classes=classes, exposure_s=seconds, held_out=hostile_name(rng))
        if rng.random() < 0.3:
            card = replace(card, calibration=calibration(classes, hostile_name(rng), rng))
        return Model((self._network,), card)


def calibration(classes: tuple[str, ...], unit: str, rng: np.random.Generator) -> dict[str, object]:
    """Enough that was held out for a promise."""
    shares = rng.dirichlet([1.0] * CLASSES, size=30).tolist()
    held = (
        held_out(classes, classes[i % CLASSES], f"{i}", True, probabilities=row, look=NoveltyFeatures(0, 0, 0, 0, 0))
        for i, row in enumerate(shares)
    )
    return Calibration(classes, unit, tuple(held)).as_data()


def target_in(folder: Path, rng: np.random.Generator) -> Path:
    """Where to write to; sometimes where one cannot."""
    (folder / "taken").mkdir(parents=True)
    (folder / "taken" / "mine").write_text("mine")
    return folder / (pick(TARGETS, rng) if rng.random() < 0.2 else "board")


@contextmanager
def c99(folder: Path, layouts: Sequence[str] = (FLAT.name,)) -> Iterator[Callable[[int], str]]:
    """Exports to C, in one of the layouts."""
    models, compiler = Models(), host_compiler()
    # What a network says of the check's signals does not depend on names, and takes most of the time.
    computed = sources.expected
    known = lru_cache(lambda *asked: computed(models.hostile(np.random.default_rng(0)), *asked))
    sources.expected = lambda model, *asked: known(*asked)
    place = folder / "deep" / "down"

    def attempt(seed: int) -> str:
        rng = np.random.default_rng([seed, 99])
        model = models.hostile(rng)
        rate = pick(RATES if rng.random() < 0.8 else NO_RATES, rng)
        target, int16 = target_in(place, rng), bool(rng.random() < 0.5)
        checked = seed % CHECKED == 0 and compiler
        layout = pick(layouts, np.random.default_rng([seed, 98]))  # so that each of them is compiled at times
        usual = target.name == "board" and rate in RATES and all(map(fits_c, model.classes))
        try:
            before = seen(folder, target)
            os.environ["CC"] = compiler[0] if checked else "no-such-compiler"
            try:
                write_c99(model, target, rate, int16=int16, layout=layout, unchecked=not checked)
            except DualResError:
                assert not usual, "it was refused"
                assert seen(folder, target) == before, "a file beside the target was made or changed"
                assert target.name == ".." or not in_it(target) or target.name == "taken", "it left something"
                return "refused"
            assert seen(folder, target) == before, "a file beside the target was made or changed"
            check_c(target, layout, model, compiler if seed % COMPILED == 0 else None)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return "compiled" if checked else "written"

    try:
        yield attempt
    finally:
        sources.expected = computed
        os.environ.pop("CC", None)


def fits_c(name: str) -> bool:
    return len(name.encode(errors="replace")) <= LONGEST_TEXT and "\0" not in name


def in_it(target: Path) -> list[Path]:
    with suppress(OSError, ValueError):  # a name that no folder can have
        return list(target.iterdir())
    return []


def check_c(folder: Path, layout: str, model: Model, compiler: list[str] | None) -> None:
    """The folder is complete, its C is plain, and the names in it are the model's."""
    listed = (folder / sources.FILES).read_text().splitlines()
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()) == listed
    within = folder / LAYOUTS[layout].library
    for path in (path for path in folder.rglob("*") if path.suffix in C_FILES):
        content = path.read_bytes()
        assert content.isascii(), f"{path.name} is not ASCII"
        assert not re.search(rb"\?\?[=/'()!<>-]", content), f"{path.name} holds a trigraph"
    sizes = (within / "dualres_model.h").read_text()
    assert sizes.count("/*") == sizes.count("*/"), "a comment ends early"
    source = (within / "dualres_model.c").read_text()
    names = [name.encode(errors="replace") for name in model.classes]
    assert literals(source) == names, "the C has other names"
    assert tuple(json.loads((folder / "card.json").read_text())["classes"]) == model.classes
    if compiler:
        assert printed(source, folder, compiler) == b"".join(name + b"\0" for name in names)


def literals(source: str) -> list[bytes]:
    """The class names as a C compiler reads them, by its rules and not by ours."""
    body = definition(source)
    simple = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11}
    found = []
    for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', body):
        content = bytearray()
        for octal, hexadecimal, escaped, plain in re.findall(r"\\([0-7]{1,3})|\\x([0-9a-fA-F]+)|\\(.)|(.)", text):
            code = int(octal, 8) if octal else int(hexadecimal, 16) if hexadecimal else None
            content.append(code if code is not None else simple.get(escaped, ord(escaped)) if escaped else ord(plain))
        found.append(bytes(content))
    return found


def definition(source: str) -> str:
    start = source.index("const char *const dualres_names")
    return source[start : source.index("};\n", start) + 3]


def printed(source: str, folder: Path, compiler: list[str]) -> bytes:
    """What a program prints that has these names, each with the zero that ends it."""
    text = f"#include <string.h>\n#define DUALRES_CLASSES {CLASSES}\n{definition(source)}{PRINTING}"
    (folder / "names.c").write_text(text)
    strict = [flag for flag in STRICT if not flag.startswith(("-O", "-f"))]
    subprocess.run([*compiler, *strict, "-trigraphs", folder / "names.c", "-o", folder / "names"], check=True)
    return subprocess.run([folder / "names"], capture_output=True, check=True).stdout


@contextmanager
def onnx(folder: Path) -> Iterator[Callable[[int], str]]:
    """Exports to ONNX."""
    from onnxruntime import InferenceSession

    models, place = Models(), folder / "deep" / "down"

    def attempt(seed: int) -> str:
        rng = np.random.default_rng([seed, 77])
        model, target = models.hostile(rng), target_in(place, rng)
        try:
            before = seen(folder, target)
            try:
                write_onnx(model, target)
            except DualResError:
                assert target.name != "board", "it was refused"
                assert seen(folder, target) == before, "a file beside the target was made or changed"
                assert not target_is_file(target), "it left something"
                return "refused"
            assert seen(folder, target) == before, "a file beside the target was made or changed"
            metadata = InferenceSession(target.read_bytes()).get_modelmeta().custom_metadata_map
            assert tuple(json.loads(metadata[CARD])["classes"]) == model.classes, "the card has other names"
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return "written"

    yield attempt


def target_is_file(target: Path) -> bool:
    with suppress(OSError, ValueError):
        return target.is_file()
    return False


FORMS = [name for name in LAYOUTS if name != FLAT.name]
ATTACKS = [
    Attack("c99", "hostile names in C99 exports", c99),
    Attack("layouts", "hostile names in C99 exports as libraries", partial(c99, layouts=FORMS)),
    Attack("onnx", "hostile names in ONNX exports", onnx, ("onnx", "onnxruntime")),
]

if __name__ == "__main__":
    main(__doc__, ATTACKS)
