"""What is told of one file, as text that can be checked: it may come from a process that read a damaged file."""

from collections.abc import Callable
from dataclasses import dataclass

from dualres.judge.files import FileVerdict

BETWEEN, NEW_LINE = "\x1f", "\x1e"  # fields, and within one of them; no text of ours has such characters


@dataclass(frozen=True)
class VerdictLine:
    """A file as it stands in the output, and what is said of all files in the end."""

    file: str
    text: str  # without the end of the line; empty where nothing is written
    judged: bool
    problem: str = ""  # to be told beside the output
    assumed_hz: float | None = None  # the rate that was taken, of a file that does not state it
    assumed: tuple[str, ...] = ()  # conditions that it does not state

    @classmethod
    def of(cls, one: FileVerdict, text: str, problem: str = "") -> "VerdictLine":
        if not one.verdict:
            return cls(str(one.path), text, False, problem)
        rates = [float(each.learned[0]) for each in one.verdict.differences if each.here is None]
        answer = one.verdict.answer
        assumed = answer.assumed if answer else ()
        return cls(str(one.path), text, True, problem, rates[-1] if rates else None, assumed)

    def sent(self) -> str:
        """For another process, in one line."""
        hz = "" if self.assumed_hz is None else repr(self.assumed_hz)
        fields = [self.file, self.text, "judged" if self.judged else "", self.problem, hz, *self.assumed]
        return BETWEEN.join(field.replace("\n", NEW_LINE) for field in fields)

    @classmethod
    def received(cls, line: str) -> "VerdictLine":
        """From another process; a ValueError for what is no such line."""
        file, text, judged, problem, hz, *assumed = line.split(BETWEEN)
        if NEW_LINE in text or "\r" in text:
            raise ValueError("is no line of a verdict")
        told = problem.replace(NEW_LINE, "\n")
        return cls(file, text, bool(judged), told, float(hz) if hz else None, tuple(assumed))


LineWriter = Callable[[FileVerdict], VerdictLine]  # how a verdict is written; sent to other processes
