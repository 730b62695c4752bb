"""The picture of the page: a recording of the simulated gearbox, most of which have a label.

    python -m tools.figures.page_picture

Serves them as `dualres serve` does, and takes a picture of what Chromium shows.
"""

import argparse
import csv
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import soundfile

from dualres.simulated import rig as simulated

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "stress")]
from page import Running  # noqa: E402 - of stress/
from tests.bench.report.browser import Browser  # noqa: E402

WIDTH = 1280  # pixels
SHOWN = "missing_teeth_speed_1000rpm_10Nm"
UNLABELLED = "_speed_"  # in the names of those without a label


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "page.png")
    out = parser.parse_args().out
    with TemporaryDirectory(prefix="dualres-") as temporary:
        folder = written(Path(temporary) / "gearbox")
        page, browser = Running(folder), Browser(Path(temporary) / "profile")
        try:
            name, _, value = page._cookie.partition("=")
            browser.send("Network.setCookie", name=name, value=value, url=f"http://127.0.0.1:{page.port}/")
            browser.visit(f"http://127.0.0.1:{page.port}/", WIDTH)
            browser.wait("document.querySelector('#envelope canvas')")
            (shown,) = [one["id"] for one in page.get("/api/folder")["recordings"] if SHOWN in one["name"]]
            browser.evaluate(f"import('/list.js').then(({{ choose }}) => choose('{shown}'))")
            browser.wait(f"document.querySelector('#detail h2').textContent.includes('{SHOWN}')")
            browser.wait(
                "document.querySelector('#heatscale')?.innerText && document.querySelector('#envelope canvas')"
            )
            browser.screenshot(out, whole=False)
        finally:
            browser.close()
            page.process.terminate()
            page.process.wait(30)
            page.process.stdout.close()


def written(folder: Path) -> Path:
    """The rig's recordings as files, and their list."""
    folder.mkdir()
    with (folder / "labels.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["file", "label", "speed", "torque"])
        for one in simulated.recordings():
            samples = np.asarray(one.signal)
            soundfile.write(folder / f"{one.id}.wav", samples, int(one.rate), subtype="FLOAT")
            label = "" if UNLABELLED in one.id else one.label
            table.writerow([f"{one.id}.wav", label, f"{one.condition['rpm']}rpm", one.condition["torque"]])
    return folder


if __name__ == "__main__":
    main()
