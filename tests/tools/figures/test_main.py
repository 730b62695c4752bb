"""The paper's schematics beside the figures of a report."""

import pytest

from dualres.bench.report.plots.drawn import difference, drawn, read_drawn
from dualres.bench.report.plots.write import write_figures
from dualres.utils.checksums import check_sums, listed
from tests.bench.report.plots.reading import check_legible
from tools.figures.__main__ import RESULTS, pictures, write

SCHEMATICS = {"architecture", "memory", "memory_scan", "alignment", "allocations"}


@pytest.fixture(scope="module")
def schematics():
    return {picture.name: picture for picture in pictures()}


def test_texts_are_legible_within_the_figure_and_apart(schematics):
    assert schematics.keys() == SCHEMATICS
    for picture in schematics.values():
        check_legible(picture)


def test_those_in_the_results_show_what_is_drawn_now(schematics):
    kept = read_drawn(RESULTS / "figures")
    for name, picture in schematics.items():
        assert difference(kept[name], drawn(picture)) is None, name


def test_they_stand_in_the_list_beside_what_the_report_wrote(full, tmp_path):
    of_report = {file.name for each in write_figures({"gearbox": full}, tmp_path) for file in (each.pdf, each.png)}
    write(tmp_path)
    files = {f"{name}.{kind}" for name in SCHEMATICS for kind in ("pdf", "png")}
    assert listed(tmp_path).keys() == of_report | files | {"drawn.jsonl"}
    assert read_drawn(tmp_path).keys() == SCHEMATICS | {
        name.removesuffix(".pdf") for name in of_report if "pdf" in name
    }
    assert check_sums(tmp_path) == []
    write_figures({"gearbox": full}, tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == of_report | {"SHA256SUMS", "drawn.jsonl"}, "a new report is the report alone"
