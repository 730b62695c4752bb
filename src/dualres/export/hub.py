"""A model as a folder for a hub of models: the file itself, and a card in Markdown with front matter in YAML."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dualres.export.destination import check_folder, place, resolved
from dualres.judge.model import Model, content
from dualres.judge.questions import Question, questions_of
from dualres.judge.verdict import promised_under, promises_of
from dualres.utils.json_text import json_text
from dualres.utils.printable import printable

MODEL, README, CARD = "model.safetensors", "README.md", "card.json"
TAGS = ("vibration", "fault-diagnosis", "condition-monitoring", "time-series-classification")


def write_hub(model: Model, folder: Path | str, *, overwrite: bool = False) -> Path:
    """Write the folder, and say where. Scores on its card are those that the model's own card states."""
    folder = resolved(folder)
    names = (MODEL, README, CARD)
    check_folder(folder, names, overwrite, marks=names)
    card = json_text(model.card.as_data())
    readme = model_card(model, folder.name)
    place({README: readme.encode(), MODEL: content(model), CARD: f"{card}\n".encode()}, folder)
    return folder


def model_card(model: Model, name: str) -> str:
    """The text of `README.md`, of a model that goes by this name."""
    return "\n".join(["---", *_front_matter(model, name), "---", "", *_body(model, name)]) + "\n"


def _front_matter(model: Model, name: str) -> Iterator[str]:
    """YAML; texts are written as JSON, which YAML understands. Whoever publishes adds the licence."""
    yield "library_name: dualres"
    yield "tags:"
    yield from (f"- {tag}" for tag in TAGS)
    known = [one for one in questions_of(model.card.estimates) if one.macro_f1 is not None]
    if not known:
        return
    yield "metrics:"
    yield "- f1"
    yield "model-index:"
    yield f"- name: {_yaml(name)}"
    yield "  results:"
    for one in known:
        yield "  - task:"
        yield "      type: time-series-classification"
        yield "      name: Fault diagnosis by vibration"
        yield "    dataset:"
        yield "      type: private"
        yield f"      name: {_yaml(f'labelled recordings, {one.words}')}"
        yield "    metrics:"
        yield "    - type: f1"
        yield "      name: macro-F1"
        yield f"      value: {one.macro_f1!r}"


def _body(model: Model, name: str) -> Iterator[str]:
    card = model.card
    yield f"# {_text(name)}"
    yield ""
    yield f"Names the state of a machine by its vibration, as one of {len(model.names)} classes. Made by DualRes."
    yield from ("", "## Classes", "", "| class | labelled, s |", "|---|---|")
    for one in card.classes:
        seconds = card.exposure_s.get(one)
        yield f"| {_text(one)} | {'not known' if seconds is None else f'{seconds:.4g}'} |"
    yield from (f"| {_text(one)} | none, known from geometry |" for one in card.unlabelled)
    yield from ("", "## What to expect", "")
    yield from _expected(questions_of(card.estimates))
    yield from (f"* {_text(one)}" for one in filter(None, (*promises_of(card), promised_under(card))))
    yield from (f"* {_text(one)}" for one in card.remarks)
    yield from ("", "## How to use it", "", "```console", "$ pip install dualres")
    yield from (f"$ dualres diagnose {MODEL} recording.wav", "```", "", "```python", "import dualres", "")
    yield f'model = dualres.load("{MODEL}")'
    yield from ('verdict = dualres.diagnose_recording(model, "recording.wav")', "print(verdict.label, verdict.answer)")
    yield from ("```", "", "## What it is", "")
    facts = {
        "method": f"{card.method}, {card.learned_by}" if card.kind else card.method,
        "takes": f"windows of {card.config.window_s:.4g} s, resampled to {float(card.config.rate):.10g} Hz",
        "axes": ", ".join(card.channels) or "one signal",
        "networks": str(card.networks),
        "fingerprint": model.fingerprint,
        "made by": ", ".join(f"{what} {version}" for what, version in card.versions.items()),
    }
    yield from ("| | |", "|---|---|", *(f"| {what} | {_text(value)} |" for what, value in facts.items()))
    yield from (
        "",
        f"`{CARD}` has all that the model says of itself. The licence is for whoever publishes it to state.",
    )


def _expected(questions: tuple[Question, ...]) -> Iterator[str]:
    if not questions:
        yield "* Nothing was held out: how well it does on what it has not seen is not known."
    for one in questions:
        yield f"* On {_text(one.words)}: " + (f"{one.hint}" if one.macro_f1 is None else f"macro-F1 {one.score}")
        if one.macro_f1 is not None:
            yield f"  ({one.sure})"


def _yaml(text: str) -> str:
    return json.dumps(printable(text), ensure_ascii=False)


def _text(text: Any) -> str:
    """For Markdown: names of classes make no markup of their own."""
    return re.sub(r"([\\`*_\[\]<>|#&])", r"\\\1", printable(str(text)))
