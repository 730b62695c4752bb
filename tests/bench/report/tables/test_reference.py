from dualres.bench.methods import NAMES
from dualres.bench.report.names import method_name
from dualres.bench.report.tables.reference import reference_tables


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


def test_the_exposure_is_the_paper_s():
    assert texts()["exposure_mcc5"] == [
        ["1", "4", "4", "2.048", "16.384"],
        ["2", "4", "8", "4.096", "32.768"],
        ["3", "4", "12", "6.144", "49.152"],
        ["4", "4", "16", "8.192", "65.536"],
        ["6", "4", "24", "12.288", "98.304"],
        ["6", "8", "48", "24.576", "196.608"],
        ["6", "12", "72", "36.864", "294.912"],
    ]


def test_the_inventory_lists_every_dataset_as_its_folds_are():
    rows = {row[0]: row[1:] for row in texts()["task_inventory"]}
    assert len(rows) == 9
    assert rows["PHM2009"][0:2] == ["14", "66.67"]
    assert rows["PHM2009"][3:] == ["repeat", "P1, P2", "3", "140, 140"]
    assert rows["CWRU"][2] == "healthy, inner, outer, ball"


def test_the_settings_are_of_the_nine_methods_a_sentence_each():
    rows = dict(texts()["comparator_settings"])
    assert list(rows) == [method_name(name) for name in NAMES]
    assert all(text.endswith(".") for text in rows.values())
