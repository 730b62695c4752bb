from dualres.bench.report.plots.boxes import CROSS
from tools.figures.diagrams import allocations, architecture


def words(picture):
    return "\n".join(text.get_text() for text in picture.figure.axes[0].texts)


def test_the_architecture_states_the_papers_sizes():
    picture = architecture()
    for fact in (
        "32,768",
        f"249{CROSS}129",
        f"249{CROSS}513",
        "129 → 32\n4,160",
        "513 → 32\n16,448",
        "10,472",
        "8,320",
        "64 → 8\n520",
    ):
        assert fact in words(picture)
    assert "40,048 for 8 classes" in picture.caption


def test_every_budget_has_a_cell_for_each_window():
    cells = allocations().figure.axes[0].patches
    assert len(cells) == 4 * (1 + 2 + 3 + 4 + 6) + 6 * (4 + 8 + 12) + 3 * 12
