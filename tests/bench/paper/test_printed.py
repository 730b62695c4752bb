from importlib import resources

import pytest

from dualres.bench.paper.printed import printed_table

NAMES = sorted(
    path.name.removesuffix(".txt") for path in resources.files("dualres.bench.paper").joinpath("tables").iterdir()
)
NOT_APPLICABLE = {"fit_costs": ("peak_mib",), "weights": ("registered", "active")}  # where the paper has words


@pytest.mark.parametrize("name", NAMES)
def test_every_table_says_what_it_holds_and_is_whole(name):
    text = resources.files("dualres.bench.paper").joinpath("tables", f"{name}.txt").read_text()
    assert text.startswith("# ")
    rows = printed_table(name)
    assert len(rows) == len(text.splitlines()) - 2  # no row twice
    columns = {column for row in rows.values() for column in row}
    missing = [(row, column) for row in rows for column in columns if column not in rows[row]]
    assert set(missing) == {("minirocket", column) for column in NOT_APPLICABLE.get(name, ())}


def test_a_number_is_found_by_its_row_and_column():
    assert printed_table("bearing")["uored/dualres"]["sd"] == 15.73
    assert printed_table("gearbox_macro_f1")["dualres"]["3x4"] == 48.55
