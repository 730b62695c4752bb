from dualres.kernel.threads import pool


def test_the_same_threads_at_every_call():
    assert pool(2) is pool(2)
    assert pool(2) is not pool(3)
    assert list(pool(2).map(abs, [-1, 2, -3])) == [1, 2, 3]
