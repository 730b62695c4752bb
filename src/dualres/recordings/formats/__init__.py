"""One parser for each file format; those of binary formats run in a process of their own."""

from dualres.recordings.formats.registry import Format as Format
from dualres.recordings.formats.registry import register as register
