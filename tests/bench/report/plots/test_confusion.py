from dualres.bench.paper.protocol import PAIR, PRIMARY_BUDGET
from dualres.bench.report.plots.confusion import confusion_matrices


def test_the_numbers_are_counts_summed_over_the_folds(full):
    entries = full["pilot"].where(dataset="phm2009", method="dualres")
    expected = entries[0].outcome.confusion + entries[1].outcome.confusion
    picture = confusion_matrices(full["pilot"], "phm2009", PRIMARY_BUDGET, PAIR)
    axes = picture.figure.axes[0]
    shown = {(round(t.get_position()[1]), round(t.get_position()[0])): int(t.get_text()) for t in axes.texts}
    assert shown == {(r, c): expected[r, c] for r, c in zip(*expected.nonzero(), strict=True)}
    assert "n = 280 verdicts" in picture.caption
