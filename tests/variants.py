"""Parameters of tests that are `exhaustive`: what they test is covered by the first ones."""

import pytest

from dualres.kernel import compiled


def also(*values):
    """Further sets of parameters, each a tuple."""
    return [pytest.param(*value, marks=pytest.mark.exhaustive) for value in values]


# Of the compiled library; the fastest comes first.
VARIANTS = [*compiled.able()[:1], *also(*((name,) for name in compiled.able()[1:]))]
