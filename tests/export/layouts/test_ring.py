"""The ring between an interrupt and the main loop, as C."""

import subprocess
from importlib.resources import files

import pytest

from dualres.export.compiler import STRICT

RING = files("dualres.export") / "layouts" / "templates" / "common" / "ring.h"
# Puts and takes as told by a text: p a frame with the next number, t one, g asks for a gap. Says what each gave.
PROGRAM = """
#include <stdio.h>
#include "ring.h"
static dualres_ring ring;
int main(void) {
    dualres_sample frame[DUALRES_AXES], next = 0;
    ring.put = ring.taken = START;
    for (int what; (what = getchar()) != EOF;) {
        if (what == 'p') { frame[0] = frame[1] = next++; printf("%d", ring_put(&ring, frame)); }
        if (what == 't') { if (ring_take(&ring, frame)) printf("[%d,%d]", frame[0], frame[1]); else printf("-"); }
        if (what == 'g') printf("%s", ring_gap(&ring) ? "G" : ".");
    }
    printf(" %u", (unsigned)ring_lost(&ring));
    return 0;
}
"""


def beside_pairs(folder, source):
    """The ring's header in a folder where a frame is two whole numbers, and a source that includes it."""
    (folder / "dualres.h").write_text("typedef int dualres_sample;\n#define DUALRES_AXES 2\n")
    (folder / "ring.h").write_text(RING.read_text())
    (folder / "ring.c").write_text(source)


@pytest.fixture(scope="module", params=["0", "0xfffffffeu"], ids=["from zero", "over the end of a counter"])
def ring(request, compiler, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ring")
    beside_pairs(folder, PROGRAM)
    sized = ["-DDUALRES_RING_FRAMES=4", f"-DSTART={request.param}"]
    subprocess.run([compiler, *STRICT, *sized, folder / "ring.c", "-o", folder / "ring"], check=True)
    return lambda told: subprocess.run([folder / "ring"], input=told, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("t g", "-. 0"),
        ("pp t p t t t g", "11[0,0]1[1,1][2,2]-. 0"),
        ("pppp tttt pppp tttt", "1111[0,0][1,1][2,2][3,3]1111[4,4][5,5][6,6][7,7] 0"),
        # What is lost leaves a gap behind the last that was there, and not before it.
        ("ppppp g t g p ttt g p t g", "11110.[0,0].0[1,1][2,2][3,3]G1[6,6]. 2"),
        ("ppppp tttt p g p t", "11110[0,0][1,1][2,2][3,3]0G1[6,6] 2"),
    ],
    ids=["empty", "in order", "round", "full", "lost until the gap was seen"],
)
def test_frames_come_out_as_they_went_in(ring, told, said):
    assert ring(told) == said


def test_its_size_is_a_power_of_two(compiler, tmp_path):
    beside_pairs(tmp_path, '#include "ring.h"\n')
    command = [compiler, "-std=c99", "-fsyntax-only", tmp_path / "ring.c"]
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert subprocess.run([*command, "-DDUALRES_RING_FRAMES=2000"], capture_output=True).returncode != 0
