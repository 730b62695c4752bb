"""The scripts that measure speed run, and say what they are asked for; how fast is not a test's business."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dualres.kernel import compiled

FOLDER = Path(__file__).parents[1] / "speed"
pytestmark = pytest.mark.subprocess


def printed(script: str, *arguments: str) -> dict:
    command = [sys.executable, str(FOLDER / script), *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


built = pytest.mark.skipif(compiled.variant() is None, reason="the compiled library is not built")
once = ("--repeats", "1")
# Arguments of a script, values that it prints as they are, and names of times and ratios: positive, or a difference.
RUNS = {
    "window": (("--alone", *once), {}, "kernel_ms torch_ms scan_ref_ms floor_ms"),
    "views": (once, {}, "paper_ms views_ms torch_ms working_kb views_over_paper"),
    "record": (
        ("--seconds", "1", *once),
        {"windows": 2},
        "times_real_time held_ms kernel_ms alone_ms verdict_over_kernel held_over_kernel",
    ),
    "two_threads": (("--windows", "3", *once), {"threads": 2, "windows": 3}, "speedup apart"),
    "augment": (once, {"windows": 96}, "update_ms augmented_ms views_ms views_torch_ms extra"),
    "audit": (
        ("--recordings", "6", "--seconds", "2", "--machine", "14", *once),
        {"recordings": 6, "rate": 12_800, "rounds": 5},
        "floor_s transforms over_floor here_peak_mb",
    ),
    "live_parts": (("--streams", "4", "--seconds", "3"), {"streams": 4}, "ms_per_stream_second floor_ms over_floor"),
    "cold_start": (once, {"seconds": 4}, "diagnose_s python_s over_numpy help_over_numpy"),
}


@built
@pytest.mark.parametrize("script", RUNS)
def test_what_is_measured_is_printed(script):
    arguments, same, positive = RUNS[script]
    result = printed(f"{script}.py", *arguments)
    assert {name: result[name] for name in same} == same
    assert all(result[name] > (-1 if name == "extra" else 0) for name in positive.split())


@pytest.mark.device
@pytest.mark.skipif(not shutil.which("aarch64-linux-gnu-gcc"), reason="Debian's gcc-aarch64-linux-gnu is not installed")
@pytest.mark.skipif(not shutil.which("qemu-aarch64"), reason="Debian's qemu-user is not installed")
def test_aarch64():
    result = printed("aarch64.py", "--only", "views")
    assert result["views_scalar_million"] > result["views_vector_million"] > 1
    assert result["views_scalar_over_vector"] > 1.5


@built
def test_rocket():
    result = printed("rocket.py", "--repeats", "1")
    assert set(result["builds"]) == {*compiled.able()}
    assert all(build["window_ms"] > 0 for build in result["builds"].values())
    if shutil.which("cc"):
        assert all(build["over_floor"] > 0 for build in result["builds"].values())
    assert result["numpy_ms"] > 0
    assert result["threads"] == 1
    assert result["same"]


@pytest.mark.subprocess
def test_archive():
    result = printed("archive.py", "--files", "20", "220", "--repeats", "1", "--kind", "csv", "--suffix", ".csv")
    assert [one["files"] for one in result["sizes"]] == [20, 220]
    assert all(one["ratio"] > 0 and one["peak_mib"] > 10 for one in result["sizes"])
    assert result["year"]["files"] == 10_000 * 24 * 365


def test_scaling():
    few = ("--tokens", "64", "128", "--width", "16", "--states", "2", "--repeats", "1", "--rounds", "1")
    result = printed("scaling.py", "--windows", "2", "--seconds", "1", *few)
    assert [point["windows"] for point in result["windows"]] == [2]
    assert result["recordings"][0]["rise_mb"] > 0
    assert [point["tokens"] for point in result["tokens"]] == [64, 128]
    assert all(point["s"] > 0 for name in ("tokens", "width", "states", "recordings") for point in result[name])


def test_live():
    result = printed("live.py", "--streams", "3", "--seconds", "2")
    assert result["realtime"]["windows"] == 3 * 6
    assert result["realtime"]["missing"] == 0
    assert result["capacity"]["streams"] > 0


def test_live_day():
    result = printed("live_day.py", "--hours", "0.02")
    assert (result["simulated_s"], result["runs"]) == (72, 4)
    assert result["windows"]["steady"] == 280
    assert sum(result["missing_told"].values()) == result["missing"] > 0
    assert len(result["at_rest"]["memory_mb"]) == len(result["at_rest"]["blocks"]) == 2
    assert set(result["grew"]) == {"memory_mb", "spool_mb", "wal_mb", "threads", "files"}


@pytest.mark.skipif(sys.platform != "linux", reason="every address 127.x.x.x is this machine on Linux only")
def test_live_overload():
    few = ("--streams", "3", "--minutes", "0.02", "--calm", "1", "--quota-mb", "2")
    result = printed("live_overload.py", *few)
    assert result["waits"]["windows_lacking"] == result["waits"]["missing"] == 0
    assert result["udp"]["untold"] == 0
    assert result["udp"]["windows"] > 0


@pytest.mark.exhaustive
def test_many_files():
    result = printed("many_files.py", "--files", "2", "--repeats", "1", "--against", str(FOLDER.parent))
    assert result["files"] == 2
    assert result["ratio"] > 0
    assert len(result["here_s"]) == len(result["there_cpu_s"]) == 1


@pytest.mark.browser
@pytest.mark.skipif(not (shutil.which("chromium") or shutil.which("chromium-browser")), reason="there is no chromium")
def test_page():
    (found,) = printed("page.py", "--files", "40", "--labels", "3")["sizes"]
    assert found["files"] == 40
    for way in ("label_http", "label_seen"):
        assert 0 < found[way]["median_s"] <= found[way]["p95_s"] <= found[way]["most_s"]
    assert min(found[name] for name in ("first_rows_s", "label_all_s", "undo_all_s", "next_unlabelled_s")) > 0


@pytest.mark.slow
def test_campaign_cuda(tmp_path):
    few = ("--dataset", "simulated", "--methods", "itransformer", "--quick", "--device", "cpu", "--jobs", "2")
    folders = (str(tmp_path), "--dir", str(tmp_path / "versions"), "--former", str(FOLDER.parent / "src"))
    first = printed("campaign_cuda.py", *folders, "--only", "former", *few)
    assert first["former_status"] == 0
    assert len(first["former_macro_f1"]) == 2  # folds
    result = printed("campaign_cuda.py", *folders, "--only", "now", *few)
    assert result["former_s"] == first["former_s"] > 0
    assert result["now_over_former"] > 0
    assert result["now_macro_f1"] == result["former_macro_f1"]
    stopped = printed("campaign_cuda.py", *folders[:2], str(tmp_path / "stopped"), "--limit", "2", *few)
    assert stopped["now_status"] is None
    assert 2 <= stopped["now_s"] < 60
