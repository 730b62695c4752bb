"""Windows half by half: what lies behind the last one is not looked at."""

import shutil
import subprocess
from pathlib import Path

import pytest

from dualres.kernel import compiled

KERNEL = Path(compiled.__file__).parent

# All networks judge windows that end where their memory ends; zeros will do for all constants.
PROGRAM = """
#include <stdlib.h>
#include "windows.c"
#include "views.c"
#include "orders.c"

static void *zeros(size_t size) {
    void *room = calloc(1, size);
    if (!room) exit(2);
    return room;
}

int main(void) {
    enum { CLASSES = 3, HEADS = 100000 };
    enum { HEAD = (WIDTH + 1) * CLASSES };
    const dualres_model paper = {zeros(sizeof(dualres_constants)), zeros(HEAD * sizeof(float)), CLASSES};
    const dualres_views_model views = {zeros(sizeof(dualres_views_constants)), zeros(HEADS * sizeof(float)), CLASSES};
    const dualres_orders_constants *constants = zeros(sizeof *constants);
    const dualres_orders_model orders = {constants, zeros(HEADS * sizeof(float)), CLASSES};
    void *scratch = zeros(dualres_scratch()), *views_scratch = zeros(dualres_views_scratch());
    void *orders_scratch = zeros(dualres_orders_scratch());
    for (size_t count = 1; count < 4; count++) {
        dualres_sample *x = zeros((count + 1) * DUALRES_HALF * sizeof *x);
        float *logits = zeros(count * CLASSES * sizeof *logits);
        float *features = zeros(DUALRES_VIEW_FEATURES * sizeof *features);
        for (size_t i = 0; i < (count + 1) * DUALRES_HALF; i++) x[i] = (dualres_sample)(rand() % 1000);
        dualres_windows(&paper, x, count, logits, scratch);
        dualres_views(&views, x, count, logits, views_scratch);
        if (!dualres_views_features(views.constants, x + (count - 1) * DUALRES_HALF, features, views_scratch)) return 1;
        dualres_orders_looks *looks = zeros(count * sizeof *looks);
        double *hz = zeros(count * sizeof *hz);
        for (size_t i = 0; i < count; i++) hz[i] = 25.0 + 1e3 * (double)i;
        dualres_orders_see(constants, x, count, looks, orders_scratch);
        dualres_orders_judge(&orders, looks, count, hz, logits, orders_scratch);
        float *sums = zeros(count * DUALRES_LINE_FEATURES * sizeof *sums), *misfit = zeros(count * sizeof *misfit);
        for (size_t i = 0; i < count; i++) dualres_orders_hear(constants, looks[i].lines, hz, count, sums);
        dualres_orders_misfit(&orders, sums, count, count, misfit, orders_scratch);
        free(x), free(logits), free(features), free(looks), free(hz), free(sums), free(misfit);
    }
    free((void *)paper.constants), free((void *)paper.head), free((void *)views.constants), free((void *)views.heads);
    free((void *)constants), free((void *)orders.heads);
    free(scratch), free(views_scratch), free(orders_scratch);
    return 0;
}
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("flags", [("-DDUALRES_LANES=1", "-DDUALRES_INT16"), ("-DDUALRES_LANES=4",)])
def test_reads_no_sample_behind_the_last_window(flags, tmp_path):
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler here")
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    sanitize = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    command = ["cc", "-std=c99", *sanitize, *flags, f"-I{KERNEL}", source, "-lm", "-o", program]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode and "sanitize" in built.stderr:
        pytest.skip("this compiler has no sanitizers")
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
