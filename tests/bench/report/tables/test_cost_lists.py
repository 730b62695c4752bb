import pytest

from dualres.bench.methods import NAMES
from dualres.bench.profile.measurements import all_costs, keep
from dualres.bench.profile.plan import plan
from dualres.bench.report.tables.cost_lists import checks, cost_value, long_records, missing, row_name, storage, tails
from tests.bench.profile.synthetic import keep_all, made_up


@pytest.fixture
def costs(tmp_path):
    keep(made_up(plan("cwru", "dualres", "cuda", 4)), tmp_path)
    keep(made_up(plan("cwru", "minirocket", "cuda", 4), verdict=False), tmp_path)
    (costs,) = all_costs(tmp_path)
    return costs


def texts(table):
    return [[value.text for value in row] for row in table.rows]


def test_storage_tells_bytes_and_where_the_model_is_from(costs):
    first, second = texts(storage(costs))
    assert first[:6] == ["CWRU", "DualRes", "162,832", "158,112", "2,080", "0"]
    assert first[6:] == ["of the ledger; updates: 10", "c" * 12]
    assert second[1] == "MiniRocket (CPU)"
    assert second[6] == "fitted to be measured"


def test_checks_tell_agreement_and_hashes(costs):
    first, second = texts(checks(costs))
    assert first[2:] == ["1.0e-07", "0.0e+00", "2.0e-07", "yes", "first", "a" * 12]
    assert second[4] == "not of it"
    costs.found["cwru", "dualres"].facts["agreement"]["same_label"] = False
    assert texts(checks(costs))[0][5] == "no"


def test_checks_tell_whether_the_ways_agree(tmp_path):
    (costs,) = all_costs(keep_all(tmp_path, ["cwru"], ["dualres", "minirocket"], way="eager"))
    table = checks(costs)
    position = table.header.index("Eager, shipped")
    first, second = texts(table)
    assert (first[position], first[position + 1], second[position]) == ("3.0e-07", "yes", "one way")
    assert "beyond 1e-05" in table.note
    costs.found["cwru", "dualres"].facts["agreement"]["shipped"]["difference"] = 1e-3
    assert texts(checks(costs))[0][position + 1] == "no"


def test_tails_are_of_all_three_workloads(costs):
    first, _ = tails(costs).rows
    measurement = costs.found["cwru", "dualres"]
    assert [value.mean for value in first[2:]] == [measurement.p95_ms(n) for n in ("window", "prepared", "native")]


def test_a_long_record_tells_its_length_and_throughput(tmp_path):
    (costs,) = all_costs(keep_all(tmp_path, ["cwru"], ["dualres"], "cpu", long=True))
    table = long_records(costs)
    assert table.name == "costs_record_cpu_4_long"
    ((*_, windows, seconds, cycles, rate, prepared, _, _),) = table.rows
    assert (windows.text, seconds.text, cycles.text) == ("1,024", "270.0", "22.50")
    assert float(rate.text.replace(",", "")) == pytest.approx(1000 * 1024 / prepared.mean, abs=0.06)
    assert "prepared 3 after 1 untimed" in table.caption


def test_a_value_carries_what_it_is_of(tmp_path):
    (costs,) = all_costs(keep_all(tmp_path, ["cwru"], ["dualres", "minirocket"], way="eager"))
    value = cost_value(costs, "window_ms", "cwru", "dualres")
    assert (value.metric, value.dataset, value.method, value.paper) == ("window_ms", "cwru", "dualres", "1.61")
    assert value.text == f"{value.mean:.2f}"
    assert value.complete
    assert cost_value(costs, "allocated_mib", "cwru", "minirocket").text == "n/a"
    assert cost_value(costs, "allocated_mib", "cwru", "mambasl").text == "not run"


def test_nothing_is_missing_where_everything_is_there(tmp_path):
    datasets = ("paderborn", "cwru", "kaist", "uored", "hust", "ottawa", "mcc5")
    (costs,) = all_costs(keep_all(tmp_path, datasets))
    assert missing(costs) == ""
    assert [row_name(costs, m).text for m in ("dualres", "minirocket")] == ["DualRes", "MiniRocket (CPU)"]


def test_controls_have_rows_where_they_were_measured(tmp_path):
    (costs,) = all_costs(keep_all(tmp_path, ["cwru"], ["dualres/short"]))
    assert costs.methods == [*NAMES, "dualres/short"]
    assert cost_value(costs, "window_ms", "cwru", "dualres/short").paper is None
