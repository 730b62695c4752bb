import statistics
from importlib import resources

import pytest

from dualres.bench.methods import NAMES
from dualres.bench.paper.printed import DATASETS, printed_cost, printed_table

TABLES = sorted(
    path.name.removesuffix(".txt") for path in resources.files("dualres.bench.paper").joinpath("tables").iterdir()
)
NOT_APPLICABLE = {"fit_costs": ("peak_mib",), "weights": ("registered", "active")}  # where the paper has words


@pytest.mark.parametrize("name", TABLES)
def test_every_table_says_what_it_holds_and_is_whole(name):
    text = resources.files("dualres.bench.paper").joinpath("tables", f"{name}.txt").read_text()
    assert text.startswith("# ")
    rows = printed_table(name)
    assert len(rows) == len(text.splitlines()) - 2  # no row twice
    columns = {column for row in rows.values() for column in row}
    missing = [(row, column) for row in rows for column in columns if column not in rows[row]]
    assert set(missing) == {("minirocket", column) for column in NOT_APPLICABLE.get(name, ())}


# The paper's summary: median, range, and the most memory over its seven datasets.
SUMMARY = {
    "dualres": (1.75, 1.56, 2.63, 11.46),
    "mambasl": (1.65, 1.53, 2.00, 40.94),
    "tscmamba": (22.88, 22.33, 26.08, 28.38),
    "medformer": (11.89, 11.14, 13.97, 27.45),
    "moderntcn": (2.06, 1.76, 3.23, 11.92),
    "patchtst": (1.82, 1.68, 2.01, 13.92),
    "itransformer": (1.33, 1.23, 2.22, 13.45),
    "crossformer": (1.77, 1.64, 2.26, 14.19),
}


@pytest.mark.parametrize("method", SUMMARY)
def test_the_summary_follows_from_the_tables(method):
    latencies, memory = ([printed_cost(m, d, method) for d in DATASETS] for m in ("window_ms", "allocated_mib"))
    found = (statistics.median(latencies), min(latencies), max(latencies), max(memory))
    assert found == SUMMARY[method]


def test_every_method_has_its_latencies_and_only_neural_ones_gpu_memory():
    for method in NAMES:
        assert all(printed_cost(m, d, method) for m in ("window_ms", "native_ms") for d in DATASETS)
    assert printed_cost("allocated_mib", "mcc5", "minirocket") is None


def test_the_tails_are_of_dualres_and_not_below_its_medians():
    for dataset in DATASETS:
        for kind in ("window", "native"):
            assert printed_cost(f"{kind}_p95_ms", dataset, "dualres") > printed_cost(f"{kind}_ms", dataset, "dualres")
    assert printed_cost("window_p95_ms", "mcc5", "mambasl") is None


def test_what_the_paper_does_not_print_is_no_number():
    assert printed_cost("window_ms", "simulated", "dualres") is None
    assert printed_cost("prepared_ms", "mcc5", "dualres") is None
    assert printed_cost("window_ms", "mcc5", "dualres/short") is None
