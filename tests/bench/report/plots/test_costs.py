import pytest

from dualres.bench.campaign.studies import NEURAL, RIG
from dualres.bench.methods import NAMES
from dualres.bench.paper.printed import DATASETS as PAPER_DATASETS
from dualres.bench.profile.measurements import all_costs
from dualres.bench.report.plots.costs import CPU_HATCH, latency_bars, score_and_latency
from dualres.bench.report.plots.write import pictures
from dualres.utils.figures import DOUBLE, SINGLE
from tests.bench.profile.synthetic import keep_all
from tests.bench.report.plots.reading import check_legible, drawn_texts


def costs_of(folder, *arguments, **options):
    (costs,) = all_costs(keep_all(folder, *arguments, **options))
    return costs


@pytest.fixture(scope="module")
def seven(tmp_path_factory):
    return costs_of(tmp_path_factory.mktemp("seven"), PAPER_DATASETS)


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    """On a CPU, but for two methods, quick."""
    return costs_of(tmp_path_factory.mktemp("rig"), [RIG], NAMES[:-2], "cpu", quick=True)


def test_bars_end_at_the_medians_and_marks_stand_at_the_tails_on_one_logarithmic_scale(seven):
    axes = latency_bars(seven).figure.axes[PAPER_DATASETS.index("hust")]
    for position, (bar, mark) in enumerate(zip(axes.patches, axes.get_lines(), strict=True)):
        measurement = seven.found["hust", NAMES[position]]
        assert bar.get_x() + bar.get_width() == pytest.approx(measurement.median_ms("window"))
        assert mark.get_xdata()[0] == pytest.approx(measurement.p95_ms("window"))
    assert [bar.get_hatch() for bar in axes.patches] == [CPU_HATCH if n == "minirocket" else "" for n in NAMES]
    shown = axes.figure.axes[: len(PAPER_DATASETS)]
    assert len({axes.get_xlim() for axes in shown}) == 1
    assert {axes.get_xscale() for axes in shown} == {"log"}


def test_what_was_not_measured_is_said(rig):
    picture = latency_bars(rig)
    words = [text for text, *_ in drawn_texts(picture.figure)[0]]
    assert words.count("not run") == 2
    assert "Quick run: a few repetitions." in words
    assert "Methods not measured: iTransformer, Crossformer." in picture.caption
    assert "CPU threads" in picture.caption
    assert all(not bar.get_hatch() for bar in picture.figure.axes[0].patches)  # all are on the CPU


@pytest.mark.parametrize("way", ["eager", "shipped"])
def test_figures_say_their_way(full, tmp_path, way):
    costs = costs_of(tmp_path, [RIG], way=way)
    for picture in (latency_bars(costs), score_and_latency(full["gearbox"], RIG, costs)):
        assert f"(GPU, {way})" in picture.title
        assert f"one window, {way}" in picture.figure.axes[-1].get_xlabel()
        assert costs.name in picture.name


def test_scores_stand_over_latencies(full, tmp_path):
    costs = costs_of(tmp_path, [RIG])
    picture = score_and_latency(full["gearbox"], RIG, costs)
    _, latency = picture.figure.axes
    _, *marks = latency.get_lines()
    assert [mark.get_xdata()[0] for mark in marks] == pytest.approx(
        [costs.value("window_ms", RIG, method) for method in NEURAL]
    )
    assert "fold" in picture.caption
    assert "CPU threads" in picture.caption


def test_a_method_measured_on_another_machine_is_not_set_beside_the_others(full, tmp_path):
    costs = costs_of(tmp_path, [RIG])
    elsewhere = costs.found[RIG, "patchtst"].facts["machine"]
    elsewhere["device"] = "another GPU"
    picture = score_and_latency(full["gearbox"], RIG, costs)
    parameters, latency = picture.figure.axes
    assert "PatchTST" in {text.get_text() for text in parameters.texts}
    assert "PatchTST" not in {text.get_text() for text in latency.texts}
    assert "Latency not measured there: PatchTST." in picture.caption
    assert costs.found[RIG, "dualres"].facts["machine"]["device"] in latency.get_xlabel()
    assert "another GPU" not in picture.caption


def test_numbers_stand_in_a_column_away_from_the_marks(seven):
    axes = latency_bars(seven).figure.axes[0]
    assert {text.xycoords for text in axes.texts} == {("axes fraction", "data")}
    assert {text.xy[0] for text in axes.texts} == {1}


def test_a_dataset_is_drawn_of_the_first_study_that_has_its_scores(full, tmp_path):
    costs = costs_of(tmp_path, [RIG, "phm2009"])
    drawn = [p for p in pictures({n: full[n] for n in ("gearbox", "published")}, [costs]) if "score_and" in p.name]
    assert {p.name: p.study for p in drawn} == {
        "score_and_latency_simulated_cuda_4": "gearbox",
        "score_and_latency_phm2009_cuda_4": "published",
    }


def test_only_methods_with_both_are_shown(full, empty, rig, seven):
    picture = score_and_latency(full["gearbox"], RIG, rig)
    assert "Latency not measured there: iTransformer and Crossformer." in picture.caption
    assert score_and_latency(full["gearbox"], RIG, seven) is None
    assert score_and_latency(empty["gearbox"], RIG, rig) is None


def test_they_are_among_the_figures_of_a_report(full, rig, seven):
    drawn = {picture.name: picture for picture in pictures({"gearbox": full["gearbox"]}, [rig, seven])}
    assert {"latency_cpu_4_quick", "latency_cuda_4", "score_and_latency_simulated_cpu_4_quick"} <= drawn.keys()


@pytest.mark.parametrize("name", ["seven", "rig"])
def test_texts_are_apart_and_within_the_figure(name, request):
    picture = latency_bars(request.getfixturevalue(name))
    assert picture.figure.get_figwidth() == (DOUBLE if name == "seven" else SINGLE)
    check_legible(picture)
