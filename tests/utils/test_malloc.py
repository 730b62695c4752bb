import resource
import subprocess
import sys

import pytest

from dualres.utils.malloc import keep_freed_memory

FAULTS = """
import resource, torch
from dualres.utils.malloc import keep_freed_memory
{prepare}
for round in range(30):
    if round == 10:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    blocks = [torch.ones(2**20) for _ in range(4)]
    del blocks
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.subprocess
@pytest.mark.skipif(sys.platform != "linux", reason="a matter of glibc")
def test_freed_memory_is_kept():
    def faults(prepare):
        result = subprocess.run([sys.executable, "-c", FAULTS.format(prepare=prepare)], capture_output=True, text=True)
        return int(result.stdout)

    if not keep_freed_memory():
        pytest.skip("this C library has no mallopt")
    pages = 4 * 4 * 2**20 // resource.getpagesize()  # of one round
    assert faults("keep_freed_memory()") < pages
