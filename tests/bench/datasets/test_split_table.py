"""A published split, as a CSV file, to folds."""

import pytest

from dualres.bench.datasets.folds.split_table import read_split, shared_components
from dualres.errors import ConfigError

RECORDINGS = [
    {"id": f"{label}_{load}", "label": label, "component": label[0] + str(load // 2), "source": f"{load}/{number}.mat"}
    for number, (label, load) in enumerate([(label, load) for label in ("healthy", "inner") for load in range(4)])
]
SPLIT = """fold,file,side
1,healthy_0,train
1,1/1.mat,train
1,6.mat,test
1,7,test
1,inner_0,train
1,2/2.mat,test
2,inner_0,train
2,healthy_2,train
2,healthy_0,test
2,inner_3,test
"""


def read(tmp_path, text):
    path = tmp_path / "split.csv"
    path.write_text(text)
    return read_split(path, "toy", RECORDINGS)


def test_files_go_by_id_path_name_or_stem_and_classes_keep_the_dataset_s_order(tmp_path):
    first, second = read(tmp_path, SPLIT)
    assert (first.fold, second.fold, first.dataset, first.held_out) == ("1", "2", "toy", "bearing")
    assert first.support == {"healthy": ("healthy_0", "healthy_1"), "inner": ("inner_0",)}
    assert first.evaluation == ("healthy_2", "inner_2", "inner_3")
    assert second.classes == ("healthy", "inner"), "though its rows begin with inner"


def test_components_on_both_sides_are_told(tmp_path):
    first, second = read(tmp_path, SPLIT)
    assert shared_components(first, RECORDINGS) == ()
    assert shared_components(second, RECORDINGS) == ()
    (leaky,) = read(tmp_path, "fold,file,side\n1,healthy_0,train\n1,healthy_1,test\n1,inner_0,train\n1,inner_2,test\n")
    assert shared_components(leaky, RECORDINGS) == ("h0",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fold,file\n1,healthy_0\n", "has no column side; its first line must name fold, file, side"),
        ("fold,file,side\n", "holds no row"),
        ("fold,file,side\n1,healthy_0,validation\n", "line 2: side is 'validation'; it is train or test"),
        ("fold,file,side\n1,healthy_9,train\n", "line 2: healthy_9: no recording of the prepared dataset toy"),
        ("fold,file,side\n1,,train\n", "line 2: has no file"),
        ("fold,file,side,label\n1,healthy_0,train,inner\n", "healthy_0 is labelled inner, in toy healthy"),
        ("fold,file,side\n1,healthy_0,train\n1,0,test\n", "healthy_0 is in support and in evaluation"),
        ("fold,file,side\n1,healthy_0,train\n1,inner_0,test\n", "class inner is evaluated, but no recording"),
        ("fold,file,side\n../x,healthy_0,train\n", "cannot be called '../x'"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_with_the_line(tmp_path, text, reason):
    with pytest.raises(ConfigError, match=r"split\.csv") as caught:
        read(tmp_path, text)
    assert reason in str(caught.value)


def test_a_file_of_several_recordings_is_asked_for_by_id(tmp_path):
    twice = [*RECORDINGS, {**RECORDINGS[0], "id": "other"}]
    path = tmp_path / "split.csv"
    path.write_text("fold,file,side\n1,0/0.mat,train\n")
    with pytest.raises(ConfigError, match="2 recordings of toy are made of it; name one by its id"):
        read_split(path, "toy", twice)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.csv"):
        read_split(tmp_path / "none.csv", "toy", RECORDINGS)
