"""Names that would break C, or a file's card, arrive as they are."""

import pytest

from tests.attacks.stress_scripts import script
from tests.variants import also

_tally, exports = script("_tally"), script("exports")
C99, LAYOUTS, ONNX = exports.ATTACKS


@pytest.mark.parametrize(
    ("attack", "seeds"),
    [(ONNX, range(5)), *also((C99, range(1, 24)), (LAYOUTS, range(1, 24)))],
    ids=["onnx", "c99", "layouts"],
)
def test_hostile_names_are_exported_or_refused(attack, seeds):
    if attack.missing:
        pytest.skip("an extra is not installed")
    result = _tally.here(attack, seeds)
    assert result["failures"] == {}
    assert result["outcomes"]["written"] > len(seeds) // 2


def test_literals_are_read_as_c_reads_them():
    source = r"""const char *const dualres_names[DUALRES_CLASSES] = {
    "a\"\\\077\0101", "*/ ", "\303\244"};
"""
    assert exports.literals(source) == [b'a"\\?\x081', b"*/ ", "\u00e4".encode()]
