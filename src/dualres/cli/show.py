"""`dualres show`: what a recording or a model is."""

import json
from pathlib import Path
from typing import Annotated

import typer

from dualres.cli.console import say
from dualres.cli.folder import ChannelOption, RateOption, cost_of, loaded, parsed_rate

BARS = " ▁▂▃▄▅▆▇█"


def show(
    path: Annotated[Path, typer.Argument(help="A recording or a model file.")],
    channel: ChannelOption = None,
    rate: RateOption = None,
) -> None:
    """Show a recording's facts with a small spectrum, or a model's card."""
    from dualres.judge.verdict import promises_of
    from dualres.learn.estimate_text import sentences
    from dualres.recordings.readers import read
    from dualres.recordings.recording import axes_of, facts_of

    if path.suffix == ".safetensors":
        card = loaded(path).card
        for key, value in card.as_data().items():
            named = f"{card.recipe}: " if key == "recipe" and value else ""
            seeds = f", seeds {', '.join(map(str, card.seeds))}" if key == "members" else ""
            told = "; ".join(promises_of(card)) if key == "calibration" else json.dumps(value, default=str)
            say(f"{key:<12} {named}{told}{seeds}")
        for entry in card.estimates:
            for sentence in sentences(entry):
                say(sentence)
        if card.axes:
            say(f"{'verdicts':<12} {cost_of(card)}")
        return
    for number, recording in enumerate(axes_of(read(path, channel, parsed_rate(rate)))):
        if number:
            say("")
        facts = facts_of(recording)
        bars = "".join(BARS[round((len(BARS) - 1) * level)] for level in facts.spectrum)
        for name, text in {
            "file": f"{recording.origin.path}",
            "channel": f"{recording.origin.channel}",
            "rate": f"{recording.rate} Hz",
            "length": f"{facts.samples} samples, {facts.seconds:.3f} s",
            "mean, rms": f"{facts.mean:.4g}, {facts.rms:.4g}",
            "crest": f"{facts.crest:.2f}",
            "spectrum": f"{bars}  0 to {float(recording.rate / 2):g} Hz, log",
        }.items():
            say(f"{name:<10} {text}")
