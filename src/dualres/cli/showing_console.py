"""The console of all commands. Rich takes longer to import than a short verdict takes, so it waits for its need."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from dualres.utils.printable import printable

LAYOUT = "\n\t"  # what our own texts are laid out with


class ShowingConsole(Console):
    """A console that shows control characters of texts from files, and never sends them to the terminal."""

    def render_str(self, text: str, **how: Any) -> Text:
        """Texts, before they are measured: strings that are printed, and the cells of tables."""
        return super().render_str(printable(text, keep=LAYOUT), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Whatever else holds text, such as the bars of a progress."""
        for segment in super().render(renderable, options):
            shown = segment.text if segment.control else printable(segment.text, keep=LAYOUT)
            yield segment if shown == segment.text else Segment(shown, segment.style)
