import os

import pytest

from dualres.kernel.threads import pool


def test_the_same_threads_at_every_call():
    assert pool(2) is pool(2)
    assert pool(2) is not pool(3)
    assert list(pool(2).map(abs, [-1, 2, -3])) == [1, 2, 3]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    list(pool(2).map(abs, [1]))
    child = os.fork()
    if child == 0:
        os._exit(0 if list(pool(2).map(abs, [-4])) == [4] else 1)
    assert os.waitpid(child, 0)[1] == 0
