"""The C of docs/edge.md compiles against what an export writes."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from dualres.export.alarm import DeviceAlarm
from dualres.export.c99 import write_c99
from dualres.export.compiler import STRICT
from dualres.stream.alarm import Alarm
from tests.export.conftest import CLASSES, made_model

BLOCKS = re.findall(r"```c\n(.*?)```", (Path(__file__).parents[2] / "docs" / "edge.md").read_text(), re.DOTALL)
# What a reader has around the lines: the samples, and in the second block what the first has set up.
AROUND = """
#include <stdio.h>
{outside}
void judge(const dualres_sample *samples, size_t count);
void judge(const dualres_sample *samples, size_t count) {{
(void)samples, (void)count;
{inside}
}}
"""


@pytest.fixture(scope="module")
def board(compiler, tmp_path_factory):
    model = made_model(channels=("x", "y", "z"), axes="shared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", "no-such-compiler")  # other tests check exports; here their headers will do
        healthy = np.random.default_rng(0).beta(2, 30, 100).tolist()
        learned = Alarm.learned(healthy, blocks_between_false_alarms=100)
        to, alarm = tmp_path_factory.mktemp("documented") / "board", DeviceAlarm(learned, "rarely", CLASSES[0], 5.0)
        return write_c99(model, to, 12_800, unchecked=True, alarm=alarm).folder


def test_all_blocks_are_found():
    assert len(BLOCKS) == 4


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_block_compiles(board, compiler, number, tmp_path):
    lines = BLOCKS[number].splitlines()
    outside = [line for line in lines if line.startswith(("#", "static"))]
    inside = [line for line in lines if line not in outside]
    if number:
        outside = ['#include "dualres.h"', "static dualres_state state;", *outside]
    source = tmp_path / "device.c"
    source.write_text(AROUND.format(outside="\n".join(outside), inside="\n".join(inside)))
    done = subprocess.run(
        [compiler, *STRICT, f"-I{board}", "-fsyntax-only", source], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
