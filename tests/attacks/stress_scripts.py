"""The scripts in stress/ as modules, for the small versions of their attacks."""

from functools import partial

from tests import scripts

STRESS = scripts.ROOT / "stress"
script = partial(scripts.script, "stress")
