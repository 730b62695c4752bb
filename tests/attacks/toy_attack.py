"""What tests of the tally try: some tries raise, one ends its process, one does not end."""

import os
import signal
import time
from contextlib import contextmanager
from functools import partial

from tests.attacks.stress_scripts import script

_tally = script("_tally")


@contextmanager
def _prepared(bad, folder):
    assert not list(folder.iterdir())

    def attempt(seed):
        if bad and seed == 2:
            raise ValueError("two")
        if bad and seed == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        if bad and seed == 4:
            time.sleep(100)
        return "even" if seed % 2 == 0 else "odd"

    yield attempt


GOOD = _tally.Attack("good", "Good ones", partial(_prepared, False))
BAD = _tally.Attack("bad", "Bad ones", partial(_prepared, True), longest_s=0.25, each=10)
MISSING = _tally.Attack("missing", "Without its library", partial(_prepared, False), ("no_such_library",))

if __name__ == "__main__":
    _tally.main(__doc__, [GOOD, BAD, MISSING])
