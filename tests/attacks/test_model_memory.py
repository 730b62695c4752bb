"""Loading a model file of n bytes takes no more memory than docs/format.md states, whatever the file says."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.judge.model import Model, content
from dualres.model.network import DualRes
from dualres.model_file.card import Card
from dualres.model_file.integrity import MOST_VALUES
from tests.attacks.test_models import models

ROOT = Path(__file__).parents[2]
MIB = 2**20
OF_FILE, OF_CARD, OF_VALUE = 16, 128 * MIB, 64  # bytes: of one in the file, of any card, of a value in a pass

# The peak beyond what the process holds after it loaded a first model, so that libraries do not count. What an earlier
# file leaves behind counts for the next.
CHILD = """
import json, sys
from pathlib import Path
from dualres.errors import ModelFileError
from dualres.judge.model import load

def memory(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))

first, *files = sys.argv[1:]
load(first)
before, found = memory("VmRSS"), {}
for file in files:
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew
    try:
        load(file)
        told = "loaded"
    except ModelFileError as error:
        told = str(error)
    found[Path(file).name] = [memory("VmHWM") - before, told]
print(json.dumps(found))
"""

pytestmark = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="memory is measured as Linux tells it"
)


def with_card(blob, remark):
    """A file with a long text, JSON as it stands, among the remarks of its card, and sealed again."""
    header, tensors = models.parts(blob)
    card = json.loads(header.pop("__metadata__")["dualres"]) | {"remarks": ["@"], "sha256": models.ZEROS}
    text = json.dumps(card, separators=(",", ":")).replace('"@"', remark)
    head = json.dumps(header | {"__metadata__": {"dualres": text}}, separators=(",", ":"), ensure_ascii=False).encode()
    head += b" " * (-len(head) % 8)
    whole = len(head).to_bytes(8, "little") + head + tensors
    return whole.replace(models.ZEROS.encode(), sha256(whole).hexdigest().encode(), 1)


def large_pass():
    """A small file whose windows take as much as a card may ask for, and the values that one holds."""
    rates = {"rate": 2000, "frequency_hz": (5.0, 100.0)}
    config = ModelConfig(window=2**20, hop=1, short=2, long=2, width=6, states=1, **rates)
    held = config.tokens * (config.short + config.long + 2 * config.width * config.states)
    assert 0.99 * 2**24 < held <= 2**24
    with pytest.raises(ValueError, match="takes too much memory"):
        replace(config, states=2).check_pass()
    card = Card(models.CLASSES, config, Recipe(updates=1), 0, POLYPHASE, {})
    return content(Model((DualRes(3, config, seed=0).eval(),), card), [[0.0] * 3] * 2), held


@pytest.mark.subprocess
def test_memory_is_within_what_is_stated(tmp_path):
    small, *_, views, _ = models.intact()
    numbers = 58 * MIB // 4
    listed = {"a": {"dtype": "F32", "shape": [numbers], "data_offsets": [0, 4 * numbers]}}
    card = json.loads(models.parts(small)[0]["__metadata__"]["dualres"])
    card["sha256"] = models.ZEROS
    passed, held = large_pass()
    files = {  # a file, values of its pass, and what is said of it
        "small": (small, 0, "loaded"),
        "views": (views, 0, "loaded"),
        "values": (with_card(small, ",".join(["[[]]"] * (MOST_VALUES // 4))), 0, "remarks"),
        "too many values": (with_card(small, ",".join(["[[]]"] * (7 * MIB // 5))), 0, "too large"),
        "wide text": (with_card(small, '"\U0001f529' + "a" * (7 * MIB) + '"'), 0, "loaded"),
        "tensors": (models.sealed(listed, card, bytes(4 * numbers)), 0, "do not fit its card"),
        "pass": (passed, held, "the check window gives other values"),
    }
    for name, (blob, _, _) in files.items():
        (tmp_path / name).write_bytes(blob)
    paths = [tmp_path / "small", *(tmp_path / name for name in files)]
    done = subprocess.run([sys.executable, "-c", CHILD, *paths], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    for name, (blob, values, said) in files.items():
        peak, told = found[name]
        assert said in told, name
        assert peak <= OF_FILE * len(blob) + OF_CARD + OF_VALUE * values, (name, peak, len(blob))
    assert found["small"][0] < 16 * MIB  # a normal file takes little
    assert found["wide text"][0] > 6 * len(files["wide text"][0])  # the measurement sees what there is


def test_the_document_states_these_numbers():
    text = " ".join((ROOT / "docs" / "format.md").read_text().split())
    stated = f"{OF_FILE} n + {OF_CARD // MIB} MiB", f"{OF_VALUE} bytes for each of these values", "2**20 values"
    assert all(each in text for each in stated)
