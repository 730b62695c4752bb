"""The scripts that measure speed run, and say what they are asked for; how fast is not a test's business."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dualres.kernel import compiled

FOLDER = Path(__file__).parents[1] / "speed"


def printed(script: str, *arguments: str) -> dict:
    command = [sys.executable, str(FOLDER / script), *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(compiled.variant() is None, reason="the compiled library is not built")
def test_window():
    result = printed("window.py", "--alone", "--repeats", "1")
    assert {"kernel_ms", "torch_ms", "scan_ref_ms", "floor_ms"} <= set(result)


@pytest.mark.skipif(compiled.variant() is None, reason="the compiled library is not built")
def test_views():
    result = printed("views.py", "--repeats", "1")
    assert result["views_over_paper"] > 0
    assert {"paper_ms", "views_ms", "torch_ms", "working_kb"} <= set(result)


def test_record():
    result = printed("record.py", "--seconds", "1", "--repeats", "1")
    assert result["windows"] == 2
    assert result["times_real_time"] > 0


def test_scaling():
    few = ("--tokens", "64", "128", "--width", "16", "--states", "2", "--repeats", "1", "--rounds", "1")
    result = printed("scaling.py", "--windows", "2", "--seconds", "1", *few)
    assert [point["windows"] for point in result["windows"]] == [2]
    assert result["recordings"][0]["rise_mb"] > 0
    assert [point["tokens"] for point in result["tokens"]] == [64, 128]
    assert all(point["s"] > 0 for name in ("tokens", "width", "states", "recordings") for point in result[name])


def test_augment():
    result = printed("augment.py", "--repeats", "1")
    assert result["windows"] == 96
    assert {"update_ms", "augmented_ms", "views_ms", "views_torch_ms", "extra"} <= set(result)


def test_cold_start():
    result = printed("cold_start.py", "--repeats", "1")
    assert result["seconds"] == 4
    assert result["diagnose_s"] > result["python_s"] > 0
    assert result["over_numpy"] > 1
