"""The sentences about the methods, against what the paper tabulates and against the networks themselves."""

import pytest

from dualres.bench.methods import (
    crossformer,
    itransformer,
    mambasl,
    medformer,
    method,
    moderntcn,
    patchtst,
    rocket,
    tscmamba,
)
from dualres.bench.paper.printed import MINIROCKET_FEATURES
from dualres.bench.report.tables.comparators import settings

PRINTED = {
    "mambasl": ("width 32", "expansion 1", "convolution 4", "360 samples", "8 heads", "output is fixed", "selective"),
    "patchtst": ("2 layers", "width 32", "feed-forward 128", "4 heads", "patches of 2,048", "every 1,024"),
    "itransformer": ("2 layers", "width 32", "feed-forward 64", "4 heads", "one channel"),
    "crossformer": ("1 layer", "width 32", "feed-forward 64", "4 heads", "3 routers", "1,024 samples"),
    "medformer": ("6 layers", "width 128", "feed-forward 256", "8 heads", "128/256/512", "0.25", "among lengths"),
    "moderntcn": ("32/64/128", "one block each", "9 and 5", "of 32 samples every 16", "dropout 0.5", "classifier 0.1"),
    "tscmamba": (
        "states 128", "expansion 2", "convolution 4", "to 64", "64 x 64", "scale 64", "patches of 8", "added",
        "maximum", "dropout 0.2", "without ROCKET",
    ),
    "minirocket": ("10,000 features requested, 9,996 made", "among 10 from 0.001 to 1000", "ridge", "by the support"),
    "dualres": ("256 and 1,024", "every 128", "32 channels", "249 tokens", "width 64", "8 complex", "jitter 0.1"),
}  # fmt: skip

CONSTANTS = {
    "mambasl": (mambasl, ("WIDTH", "STATES", "TAPS", "KERNEL", "HEADS", "DROPOUT")),
    "minirocket": (rocket, ("KERNELS", "TAPS", "FEATURES_REQUESTED", "FEATURES")),
    "tscmamba": (tscmamba, ("WIDTH", "PATCH", "STATES", "TAPS", "EXPANSION", "DROPOUT")),
    "medformer": (medformer, ("WIDTH", "HIDDEN", "HEADS", "LAYERS", "DROPOUT", "DROPPED_TOKENS")),
    "moderntcn": (moderntcn, ("LARGE_KERNEL", "SMALL_KERNEL", "PATCH", "STRIDE", "DROPOUT", "HEAD_DROPOUT")),
    "patchtst": (patchtst, ("PATCH", "STRIDE", "WIDTH", "HIDDEN", "HEADS", "LAYERS", "DROPOUT")),
    "itransformer": (itransformer, ("WIDTH", "HIDDEN", "HEADS", "LAYERS", "DROPOUT")),
    "crossformer": (crossformer, ("SEGMENT", "ROUTERS", "WIDTH", "HIDDEN", "HEADS", "DECODER_LAYERS", "DROPOUT")),
}
OTHER = 77_771


@pytest.mark.parametrize("name", PRINTED)
def test_it_says_what_the_paper_tabulates(name):
    said = settings()[name]
    assert [words for words in PRINTED[name] if words not in said] == []


@pytest.mark.parametrize("name", CONSTANTS)
def test_its_numbers_are_those_of_the_code(monkeypatch, name):
    module, constants = CONSTANTS[name]
    for constant in constants:
        monkeypatch.setattr(module, constant, OTHER)
        assert str(OTHER) in settings()[name].replace(",", ""), constant
        monkeypatch.undo()


def test_what_is_said_in_words_is_so_in_the_networks():
    network = {name: method(name).blank(8).network for name in ("mambasl", "crossformer", "moderntcn", "tscmamba")}
    mamba = network["mambasl"].mamba
    assert mamba.leave.in_features == mamba.leave.out_features  # expansion 1
    assert (mamba.skip, mamba.read is None) == (None, False)
    names = [type(part).__name__ for part in network["crossformer"].children()]
    assert names.count("TwoStages") == 1
    assert len(network["moderntcn"].blocks) == len(moderntcn.WIDTHS)
    assert network["tscmamba"].over_channels.read is None
    assert rocket.FEATURES == MINIROCKET_FEATURES
