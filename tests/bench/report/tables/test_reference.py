from pathlib import Path

from dualres.bench.report.tables.reference import reference_tables
from dualres.bench.report.tables.write import as_markdown

PUBLISHED = Path(__file__).parents[4] / "results" / "tables"


def texts():
    return {table.name: [[v.text for v in row] for row in table.rows] for table in reference_tables()}


def test_the_parameters_are_those_the_paper_counts():
    rows = {stage: (shape, count) for stage, shape, count in texts()["tensor_shapes"]}
    assert rows["Aligned magnitudes"] == ("249 x 129, 249 x 513", "0")
    assert rows["Affine spectral projections"] == ("249 x (32 + 32)", "20,608")
    assert rows["Complex write and read projections"] == ("two 64 → 16 maps", "2,080")
    assert rows["Damping rates and frequencies"] == ("64 + 8", "72")
    assert rows["Encoder, total"][1] == "39,528"
    assert rows["Classifier of C classes"][1] == "65 C"


def test_they_are_those_that_were_published():
    for table in reference_tables():
        assert as_markdown(table) == (PUBLISHED / f"{table.name}.md").read_text(encoding="utf-8")
