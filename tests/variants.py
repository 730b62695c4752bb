"""Instruction sets of the compiled library, as parameters of tests: all but the fastest are `exhaustive`."""

import pytest

from dualres.kernel import compiled

VARIANTS = [
    name if name == compiled.able()[0] else pytest.param(name, marks=pytest.mark.exhaustive) for name in compiled.able()
]
