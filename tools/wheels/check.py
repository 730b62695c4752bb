"""Does what is installed here compute what it should? Run by the Python of a bare environment; prints JSON.

`errors` are the largest differences from the golden logits, by every variant of the kernel that this processor runs and
without it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
from importlib.metadata import distributions
from pathlib import Path

import numpy as np

import dualres
from dualres.judge.backends import scorer
from dualres.kernel import compiled
from dualres.model.check import check_window

COMPILERS = ("cc", "gcc", "clang", "c99", "cl")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("given", type=Path, help="the folder that given.py makes")
    given = parser.parse_args().given
    result = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "installed_in": str(Path(dualres.__file__).parent),
        "packages": sorted({found.name.lower() for found in distributions()}),
        "compilers": [name for name in COMPILERS if shutil.which(name)],
        "errors": errors(given),
    }
    print(json.dumps(result))


def errors(given: Path) -> dict[str, float]:
    """Largest absolute differences of logits, by variant, the fastest first."""
    golden, model = json.loads((given / "logits.json").read_text()), dualres.load(given / "golden.safetensors")
    window, found = check_window(0, model.card.config.window)[None], {}
    for variant in (*compiled.able(), compiled.OFF):
        os.environ[compiled.SETTING] = variant
        logits = scorer(model.members[0])(window)[0]
        found[variant] = float(np.abs(logits - golden).max())
    del os.environ[compiled.SETTING]
    return found


if __name__ == "__main__":
    main()
