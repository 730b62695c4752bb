"""An option that may be given with or without a number."""

from typing import Any

from typer.core import TyperCommand


def with_optional_number(option: str, otherwise: float) -> type[TyperCommand]:
    """A command whose `option` stands for `otherwise` where no number follows it."""

    class OptionalValueCommand(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            return super().parse_args(ctx, completed(args, option, otherwise))

    return OptionalValueCommand


def completed(arguments: list[str], option: str, otherwise: float) -> list[str]:
    """The arguments, `otherwise` after the option where no number is."""
    found: list[str] = []
    for i, argument in enumerate(arguments):
        found.append(argument)
        if argument == option and not _is_number("".join(arguments[i + 1 : i + 2])):
            found.append(str(otherwise))
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
