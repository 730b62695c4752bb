"""How much of this package a diagnosis needs, counted in a process of its own."""

import json
import subprocess
import sys
from shutil import copy

# Modules of ours at most, in the process that was started; by six of them the speed of the shaft is found, and by seven
# an answer with its promise, of sets and of names.
CALLED, IMPORTED = 66, 84
COUNTING = """
import json, sys
called = set()

def count(frame, event, _):
    code = frame.f_code
    if event == "call" and "/dualres/" in code.co_filename and code.co_name != "<module>":
        called.add(code.co_filename)

sys.setprofile(count)
from dualres.cli import main
try:
    main()
finally:
    sys.setprofile(None)
    imported = sorted(name for name in sys.modules if name.partition(".")[0] == "dualres")
    called = {name.rpartition("/dualres/")[2] for name in called}
    print(json.dumps({"called": sorted(called), "imported": imported}), file=sys.stderr)
"""


def test_a_diagnosis_of_one_file_needs_few_modules(views, machines, tmp_path):
    alone = copy(machines / "good0.wav", tmp_path)  # beside no list
    arguments = ["diagnose", str(views[1]), str(alone)]
    done = subprocess.run([sys.executable, "-c", COUNTING, *arguments], capture_output=True, text=True, check=True)
    assert "good0.wav  good" in done.stdout
    found = json.loads(done.stderr.splitlines()[-1])
    assert "judge/trust/calibration.py" in found["called"], "the model has a calibration"
    assert len(found["called"]) <= CALLED, found["called"]
    assert len(found["imported"]) <= IMPORTED, found["imported"]
