"""How long is the way through the page with many listed recordings? Prints JSON with the seconds of each step.

In Chromium, in windows of two widths, each in a folder of its own: open, label one after the other, label many at once
and by their names, fit, judge, correct, export. Three classes of tones in noise; most of the files are the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import soundfile

HERE = Path(__file__).parents[1]
sys.path[:0] = [str(HERE), str(HERE / "stress")]
from page import Running  # noqa: E402 - of stress/
from tests.bench.report.browser import Browser  # noqa: E402

RATE, SECONDS = 12_800, 1.0
TONES = {"good": 200.0, "inner": 700.0, "outer": 1800.0}  # Hz
OWN = 24  # recordings of each class with bytes of their own
KEYS = 6  # labels by keys of each class


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--widths", type=int, nargs="+", default=[1280, 390])
    parser.add_argument("--pictures", type=Path, help="a folder for pictures")
    given = parser.parse_args()
    found = {}
    for width in given.widths:
        with tempfile.TemporaryDirectory(prefix="dualres-") as temporary:
            folder = written(Path(temporary) / "rig", given.files)
            found[str(width)] = walk(folder, width, Path(temporary) / "profile", given.pictures)
    print(json.dumps({"files": given.files, "load": os.getloadavg()[0], "steps_s": found}, indent=1))


def walk(folder: Path, width: int, profile: Path, pictures: Path | None) -> dict[str, float]:
    page, browser, taken = Running(folder), Browser(profile), dict[str, float]()

    @contextmanager
    def step(name: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        taken[name] = round(time.perf_counter() - begin, 3)
        print(f"{width}: {name} {taken[name]} s", file=sys.stderr, flush=True)
        if pictures:
            browser.screenshot(pictures / f"walk-{width}-{name.replace(' ', '-')}.png", whole=False)

    def blurred_press(key: str) -> None:
        browser.evaluate("document.activeElement.blur()")
        browser.press(key)

    try:
        name, _, value = page._cookie.partition("=")
        browser.send("Network.setCookie", name=name, value=value, url=f"http://127.0.0.1:{page.port}/")
        with step("open"):
            browser.visit(f"http://127.0.0.1:{page.port}/", width)
            browser.wait("document.querySelector('#envelope canvas')", 300)
        with step(f"label {KEYS * len(TONES)} by keys"):
            for number, label in enumerate(TONES):
                search(browser, f"{label}_own")
                browser.click("#list li")
                first = f"{label}_own_b0_0_00000.wav"
                browser.wait(f"document.querySelector('#detail h2').textContent === '{first}'")
                browser.wait("document.querySelector('#envelope canvas')")
                for done in range(KEYS):
                    if done == 0:  # a class that is not known yet
                        browser.evaluate("document.querySelector('[aria-label=\"A new class\"]').focus()")
                        browser.write(label)
                        browser.press("Enter")
                    else:
                        blurred_press(str(number + 1))
                    browser.wait(f"document.querySelectorAll('#list .label:not(.none)').length === {done + 1}")
        with step("label the rest of a filter at once"):
            search(browser, "good_own")
            browser.click(".under button")
            browser.wait("document.querySelector('.bulk')")
            blurred_press("1")
            browser.wait(f"document.querySelector('#notice').textContent.includes('{OWN} recordings: good')")
        with step("component and load of all by their names"):
            blurred_press("Escape")  # of those that were chosen
            search(browser, "")
            browser.click(".under button:last-child")
            browser.wait("document.querySelector('#write-pattern')")
            fill(browser, "[aria-label=Pattern]", "*_*_{component}_{load}_*")
            browser.wait("document.querySelector('#write-pattern').textContent.includes('Write') "
                         "&& !document.querySelector('#write-pattern').disabled", 120)  # fmt: skip
            browser.click("#write-pattern")
            written_now = f"{len(list(folder.glob('*.wav'))):,} recordings were labelled by their names"
            browser.wait(f"document.querySelector('#notice').textContent.includes('{written_now}')", 120)
        with step("fit"):
            browser.click("nav a[href='#fit']")
            browser.click("#fit")
            browser.wait("document.querySelector('.model')", 300)
        with step("judge"):
            browser.click("nav a[href='#judge']")
            browser.click(".verdicts tbody tr")
            browser.wait("document.querySelector('.why .keys')", 300)
        with step("correct"):
            blurred_press("2")
            browser.wait("document.querySelector('.why .chosen')?.textContent.includes('inner') || "
                         "document.querySelector('#notice').textContent.includes(': inner')", 60)  # fmt: skip
        with step("export"):
            browser.click("nav a[href='#fit']")
            browser.click(".export")
            browser.wait("document.querySelector('[data-export] a')", 300)
        assert not browser.errors, browser.errors[0]
        return taken
    finally:
        browser.close()
        page.process.terminate()
        page.process.wait(30)
        page.process.stdout.close()


def search(browser: Browser, words: str) -> None:
    fill(browser, ".filter input", words)


def fill(browser: Browser, field: str, words: str) -> None:
    """Put words into a field, as if they were typed."""
    element = f"document.querySelector({json.dumps(field)})"
    browser.evaluate(f"{element}.value = {json.dumps(words)}")
    browser.evaluate(f"{element}.dispatchEvent(new Event('input'))")


def written(folder: Path, files: int) -> Path:
    """Some recordings of each class with bytes of their own, and many more; none has a label, all are listed."""
    folder.mkdir()
    rng, names = np.random.default_rng(0), list[str]()
    time_s = np.arange(round(SECONDS * RATE)) / RATE
    for label, hz in TONES.items():
        for number in range(OWN):
            tone = 0.1 * np.sin(2 * np.pi * hz * (1 + number / 200) * time_s)
            names.append(f"{label}_own_b{number % 4}_{number % 3}_{number:05}.wav")
            soundfile.write(folder / names[-1], tone + 0.05 * rng.standard_normal(len(time_s)), RATE)
    for number in range(files - len(names)):
        label = list(TONES)[number % len(TONES)]
        names.append(f"{label}_more_b{number % 40}_{number % 3}_{number:05}.wav")
        os.link(folder / f"{label}_own_b0_0_00000.wav", folder / names[-1])
    (folder / "labels.csv").write_text("file,label\n" + "".join(f"{name},\n" for name in sorted(names)))
    return folder


if __name__ == "__main__":
    main()
