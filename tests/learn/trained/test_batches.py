import numpy as np
import pytest
import torch

from dualres.errors import ConfigError
from dualres.learn.trained.batches import MICROBATCH, PlainSupport, check_support, views_of
from tests.learn.test_fit import tones
from tests.learn.trained.test_train import support


def test_the_support_is_permuted_once_by_its_own_generator():
    inputs, labels = support()
    order = np.random.default_rng(1041).permutation(10)
    plain = PlainSupport([inputs, -inputs], labels, seed=41, microbatch=4)
    for _ in range(2):
        batches = plain.batches()
        assert [len(targets) for *_, targets in batches] == [4, 4, 2]
        first, second, targets = (torch.cat(parts) for parts in zip(*batches, strict=True))
        assert torch.equal(first, inputs[order])
        assert torch.equal(second, -inputs[order])
        assert torch.equal(targets, labels[order])


def test_views_are_made_a_few_windows_at_a_time():
    windows = np.random.default_rng(0).standard_normal((MICROBATCH + 3, 5)).astype(np.float32)
    seen = []
    doubled, sums = views_of(lambda x: seen.append(len(x)) or (2 * x, x.sum(1)), windows, "cpu")
    assert seen == [MICROBATCH, 3]
    np.testing.assert_array_equal(doubled, 2 * windows)
    assert len(sums) == len(windows)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda w, y: (w[:, :-1], y), "shape"),
        (lambda w, y: (w, y[:-1]), "labels of shape"),
        (lambda w, y: (w[:0], y[:0]), "every class needs one"),
        (lambda w, y: (w, y * 0), "no support window carries class 1"),
        (lambda w, y: (w, np.where(y == 0, 3, y)), "no support window carries class 0"),
        (lambda w, y: (np.concatenate([w, w[:1]]), np.append(y, 7)), "from 0 to 7"),
        (lambda w, y: (np.where(w > 1, np.nan, w), y), "NaN"),
    ],
)
def test_a_support_that_cannot_be_used_is_refused(small, spoil, reason):
    windows, labels = spoil(*tones(small))
    with pytest.raises(ConfigError, match=reason):
        check_support(windows, labels, 3, small.window)
