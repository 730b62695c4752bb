"""Parts of a fit's page about what was held out: the score beside how far to trust it, confusions, wrong recordings."""

from collections.abc import Mapping, Sequence

from dualres.fit_page import svg as sketch
from dualres.fit_page.signal_looks import SignalPicture, nearest
from dualres.fit_page.svg import Scale
from dualres.judge.questions import plural, questions_of
from dualres.learn.estimate import Estimate, HeldOut
from dualres.metrics import Counts, class_f1, class_recall, guessing
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording
from dualres.utils import html
from dualres.utils.html import escape

SHOWN = 12  # wrong recordings of an estimate that are drawn; the others are listed


def questions(card: Card) -> str:
    """A row for everything that may be new to the model, the hardest first."""
    rows = [[one.words, one.score, one.sure] for one in questions_of(card.estimates)]
    return html.table(["What is new to it", "Macro-F1", "How sure, or what would tell"], rows, numbers=(1,))


def expected(estimate: Estimate, doubts: Sequence[str]) -> str:
    """The score with its interval, and beside it how far to trust it."""
    score = estimate.score
    new = [one.label for one in estimate.held if one.new]
    counts = [new.count(label) for label in estimate.judged[0].classes]
    guess = guessing(counts)[1] * len(counts) / max(sum(map(bool, counts)), 1)  # over the classes that the score is of
    low, high = (100 * end if end is not None else None for end in (score.low, score.high))
    between = "" if low is None else f'<i style="left:{low:.1f}%;width:{(high or 0) - low:.1f}%"></i>'
    at = f'<s style="left:{100 * guess:.1f}%"></s><u style="left:{100 * score.macro_f1:.1f}%"></u>'
    first, *others = estimate.sentences
    caption = f"{first}. Guessing would score {100 * guess:.1f} %: the dotted line."
    far = "another one: these are too few to say how far"
    if score.low is not None and score.high is not None:
        far = f"anything from {100 * score.low:.0f} to {100 * score.high:.0f} %"
    trust = [
        f"With {score.units} other {plural(estimate.unit)} the score could have been {far}.",
        *(sentence.strip().removeprefix("note: ") for sentence in others),
    ]
    trust += [f"{doubt[0].upper()}{doubt[1:]}." for doubt in doubts]
    return (
        f'<div class="expected"><div class="score"><b>{100 * score.macro_f1:.1f} %</b>'
        f'<div class="range">{between}{at}</div><div class="ends"><span>0</span><span>100 %</span></div>'
        f"<span>{escape(caption).replace(' %', '&nbsp;%').replace('macro-F1', 'macro&#8209;F1')}</span></div>"
        f"<div><h3>How far to trust it</h3>{html.listed(trust)}</div></div>"
    )


def confusion(classes: Sequence[str], matrix: Counts) -> str:
    """Recordings: truth in rows, verdicts in columns; then recall and F1 of each class."""
    judged = matrix.sum(1)
    head = "".join(f"<th><span>{escape(label)}</span></th>" for label in classes)
    rows = [
        f"<th>{escape(label)}</th>" + "".join(_cell(int(n), int(judged[i]), i == j) for j, n in enumerate(matrix[i]))
        for i, label in enumerate(classes)
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    scores = [
        [label, str(count), f"{100 * recall:.0f} %", f"{100 * f1:.0f} %"] if count else [label, "none", "", ""]
        for label, count, recall, f1 in zip(classes, judged, class_recall(matrix), class_f1(matrix), strict=True)
    ]
    return (
        f'<table class="confusion"><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>'
        + html.table(["Class", "Held out", "Recall", "F1"], scores, numbers=(1, 2, 3))
    )


def rounds(estimate: Estimate) -> str:
    """What each round held out, and how many of its recordings were named right."""
    rows = []
    for number in range(1, estimate.rounds + 1):
        held = [one for one in estimate.held if one.round == number]
        units = ", ".join(dict.fromkeys(one.unit for one in held))
        right = sum(one.verdict == one.label for one in held)
        rows.append([str(number), units, f"{right} of {len(held)}"])
    return html.table(["Round", f"Held out: {estimate.unit}", "Named right"], rows, numbers=(2,))


def wrong(estimate: Estimate, recordings: Sequence[Recording], looks: Mapping[str, SignalPicture], scale: Scale) -> str:
    """The wrong recordings, the surest first, each beside the nearest that its model had learned from."""
    labels = {r.id: str(r.label) for r in recordings}
    mistaken, pairs = wrong_ones(estimate), []
    for one in mistaken[:SHOWN]:
        held = estimate.plan.held_out[one.round - 1]
        name, by_db = nearest(looks[one.recording], {r: look for r, look in looks.items() if r not in held})
        taken = f"taken for <em>{escape(one.verdict)}</em> at {100 * one.probabilities[one.verdict]:.0f} %"
        left = _drawn(looks[one.recording], scale, f"{escape(one.label)}, {taken}")
        said = f"nearest learned from: {escape(labels[name])}, {by_db:.1f} dB apart"
        pairs.append(f'<div class="pair">{left}{_drawn(looks[name], scale, said)}</div>')
    rest = [f"{one.recording}: {one.label}, taken for {one.verdict}" for one in mistaken[SHOWN:]]
    return "".join(pairs) + (html.listed(rest) if rest else "")


def wrong_ones(estimate: Estimate) -> list[HeldOut]:
    """The surest of their error first."""
    mistaken = [one for one in estimate.held if one.verdict != one.label]
    return sorted(mistaken, key=lambda one: -one.probabilities[one.verdict])


def _drawn(look: SignalPicture, scale: Scale, said: str) -> str:
    about = f'<div class="about"><h3>{html.name(look.name)}</h3><span>{said}</span></div>'
    return f"<div>{about}{sketch.waveform(look)}{sketch.spectra(look.spectrum, scale, look.name)}</div>"


def _cell(count: int, judged: int, right: bool) -> str:
    if not count:
        return "<td></td>"
    return f'<td class="{"right" if right else "wrong"}" style="--share:{count / judged:.2f}">{count}</td>'
