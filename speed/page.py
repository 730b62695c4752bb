"""How long does the page take for a folder of many recordings, all of them listed? Prints JSON.

Each folder has its own `dualres serve`. A label is timed as a client of the server hears it, and as somebody sees it in
Chromium: from the key to the row that shows it. All of this happens while the server still reads the files, as it does
for whoever has just opened a folder. `--pictures` keeps what the window shows.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

HERE = Path(__file__).parents[1]
sys.path[:0] = [str(HERE), str(HERE / "stress")]
from page import Running  # noqa: E402 - of stress/
from tests.bench.report.browser import Browser  # noqa: E402

RATE, SAMPLES = 8000, 4000
LABELS = ("good", "inner", "outer")
SEEN = """new Promise((done, fail) => {{
  const begin = performance.now();
  {act};
  (function look() {{
    if ({until}) done(performance.now() - begin);
    else if (performance.now() > begin + 60000) fail(document.body.innerText.slice(0, 1500));
    else setTimeout(look, 1);
  }})();
}})"""
FILTER = """(box => {{
  box.value = '{words}';
  box.dispatchEvent(new Event('input'));
}})(document.querySelector('.filter input'))"""
FIRST, CHOSEN = "document.querySelector('#list li .name')", "document.querySelector('#list .chosen .name')"
LABEL_ONE = """(() => {{
  const name = document.querySelector('#list .chosen .name').textContent;
  const row = [...document.querySelectorAll('#list li')].find((one) => one.textContent.includes(name)).id;
  document.activeElement.blur();
  window.wanted = () => document.getElementById(row)?.querySelector('.label').textContent;
}})()"""
KEY = "document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, nargs="+", default=[1000, 20_000, 50_000])
    parser.add_argument("--labels", type=int, default=60, help="of each way")
    parser.add_argument("--pictures", type=Path, help="a folder for pictures")
    given = parser.parse_args()
    found = []
    for files in given.files:
        with tempfile.TemporaryDirectory(prefix="dualres-") as temporary:
            folder = written(Path(temporary) / "rig", files)
            found.append({"files": files, **timed(folder, given.labels, Path(temporary) / "profile", given.pictures)})
            print(json.dumps(found[-1]), file=sys.stderr, flush=True)
    print(json.dumps({"sizes": found}, indent=1))


def timed(folder: Path, labels: int, profile: Path, pictures: Path | None) -> dict[str, Any]:
    """Seconds of everything that somebody waits for."""
    page, browser = Running(folder), Browser(profile)
    try:
        name, _, value = page._cookie.partition("=")
        browser.send("Network.setCookie", name=name, value=value, url=f"http://127.0.0.1:{page.port}/")
        begin = time.perf_counter()
        browser.visit(f"http://127.0.0.1:{page.port}/", 1280)
        browser.wait("document.querySelector('#list li .name')", 300)
        first = time.perf_counter() - begin
        browser.wait("document.querySelector('#envelope canvas')", 300)
        told: dict[str, Any] = {"first_rows_s": round(first, 3)}
        told["label_http"] = summary(label_by_http(page, labels))
        told["label_seen"] = summary(label_by_key(browser, labels))
        told["filter_s"] = seen(browser, FILTER.format(words="_2_000"), f"{FIRST}?.textContent.includes('_2_000')")
        picture(browser, pictures, f"page-{len(list(folder.iterdir()))}")
        browser.evaluate(FILTER.format(words=""))
        browser.evaluate(f"window.before = {CHOSEN} && {CHOSEN}.textContent")
        until = f"{CHOSEN} && {CHOSEN}.textContent !== window.before"
        told["next_unlabelled_s"] = seen(browser, KEY.format(key="n"), until)
        count = f"{len(list(folder.glob('*.wav'))):,}"
        browser.evaluate("document.querySelector('.under button').click()")
        browser.wait("document.querySelector('.bulk')")
        told["label_all_s"] = seen(
            browser,
            KEY.format(key="2"),
            f"document.querySelector('#notice').textContent.includes('{count} recordings: inner')",
        )
        told["undo_all_s"] = seen(
            browser,
            "document.querySelector('#notice button').click()",
            "document.querySelector('#notice').textContent.startsWith('Taken back')",
        )
        assert not browser.errors, browser.errors[0]
        return told | {"memory_mb": round(page.memory_mb)}
    finally:
        browser.close()
        page.process.terminate()
        page.process.wait(30)
        page.process.stdout.close()


def seen(browser: Browser, act: str, until: str) -> float:
    """From something that is done in the window until it shows, in seconds."""
    return round(browser.evaluate(SEEN.format(act=act, until=until)) / 1000, 4)


def label_by_http(page: Running, count: int) -> list[float]:
    rows = page.get("/api/changes?since=0")
    known = {"since": rows["version"], "epoch": rows["epoch"]}
    step, taken = max(1, len(rows["rows"]["id"]) // count), []
    for number, one in enumerate(rows["rows"]["id"][::step][:count]):
        body = json.dumps({"cells": {"label": LABELS[number % len(LABELS)]}, **known}).encode()
        begin = time.perf_counter()
        answer, said = page.send("PUT", f"/api/recordings/{one}/label", body)
        taken.append(time.perf_counter() - begin)
        assert answer.status == 200, said
        known["since"] = json.loads(said)["version"]
    return taken


def label_by_key(browser: Browser, count: int) -> list[float]:
    """By keys, one recording after the other."""
    taken = []
    for number in range(count):
        browser.evaluate(LABEL_ONE.format())
        label = LABELS[number % len(LABELS)]
        now = browser.evaluate("window.wanted()")
        if now == label:
            label = LABELS[(number + 1) % len(LABELS)]
        taken.append(seen(browser, KEY.format(key=1 + LABELS.index(label)), f"window.wanted() === '{label}'"))
        browser.wait("document.querySelector('#list .chosen') && document.getElementById('facts')")
    return taken


def summary(taken: list[float]) -> dict[str, float]:
    ordered = sorted(taken)
    return {
        "median_s": round(statistics.median(ordered), 4),
        "p95_s": round(ordered[int(0.95 * (len(ordered) - 1))], 4),
        "most_s": round(ordered[-1], 4),
    }


def picture(browser: Browser, pictures: Path | None, name: str) -> None:
    if pictures:
        browser.screenshot(pictures / f"{name}.png", whole=False)


def written(folder: Path, files: int) -> Path:
    """Recordings of noise, their list, and a label for every fifth."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    first = folder / "first.wav"
    soundfile.write(first, 0.1 * rng.standard_normal(SAMPLES), RATE)
    content = first.read_bytes()
    first.unlink()
    rows = ["file,label,component,load"]
    for number in range(files):
        label, component, load = LABELS[number % len(LABELS)], f"b{number % 40:02}", number % 4
        name = f"{label}_{component}_{load}_{number:05}.wav"
        (folder / name).write_bytes(content)
        rows.append(f"{name},{label if number % 5 == 0 else ''},{component},{load}")
    (folder / "labels.csv").write_text("\n".join(rows) + "\n")
    return folder


if __name__ == "__main__":
    main()
