"""The paper's schematics beside the figures of a report."""

import pytest

from dualres.bench.report.plots.write import write_figures
from dualres.utils.checksums import check_sums, listed
from tests.bench.report.plots.reading import check_legible
from tools.figures.__main__ import pictures, write

SCHEMATICS = {"architecture", "memory", "memory_scan", "alignment", "allocations"}


@pytest.mark.parametrize("ledger", ["full", "sparse"])
def test_texts_are_legible_within_the_figure_and_apart(ledger, request):
    drawn = {picture.name: picture for picture in pictures(request.getfixturevalue(ledger))}
    assert drawn.keys() == SCHEMATICS | {"snapshot_simulated"}
    for picture in drawn.values():
        check_legible(picture)


def test_they_stand_in_the_list_beside_what_the_report_wrote(full, empty, tmp_path):
    of_report = {file.name for each in write_figures({"gearbox": full}, tmp_path) for file in (each.pdf, each.png)}
    write(tmp_path, empty)
    assert listed(tmp_path).keys() == of_report | {f"{name}.{kind}" for name in SCHEMATICS for kind in ("pdf", "png")}
    assert check_sums(tmp_path) == []
    write_figures({"gearbox": full}, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == of_report | {"SHA256SUMS"}, "a new report is the report alone"
