/* How like the labelled windows one is, by the distances that the heads have left in their working memory.
 *
 * Across the space that the classes' means span, a window may lie far from all classes at once, because the speed is
 * another one, say. That is the same for all of them and counts for less, the more classes there are. */

/* Of each head: squared lengths from the classes' middle to each, then rows that lead from products with the classes to
 * coordinates between them. */
extern const float dualres_between[DUALRES_NETWORKS][DUALRES_HEADS][DUALRES_CLASSES][DUALRES_CLASSES];

DUALRES_ASSERT(there_are_classes_to_be_between, DUALRES_CLASSES > 1);

/* The part of all squared distances that counts for nothing. */
static double same_for_all(const float (*between)[DUALRES_CLASSES], const float *distances) {
    double middle = 0.0, length = 0.0, inside = 0.0;
    for (int c = 0; c < DUALRES_CLASSES; c++) {
        middle += (double)distances[c] / DUALRES_CLASSES;
        length += (double)between[0][c] / DUALRES_CLASSES;
    }
    for (int i = 1; i < DUALRES_CLASSES; i++) {
        double along = 0.0;
        for (int c = 0; c < DUALRES_CLASSES; c++)
            along += (double)between[i][c] * ((double)distances[c] - middle - ((double)between[0][c] - length));
        inside += along * along / 4;
    }
    const double same = middle - length - inside;
    return same > 0.0 ? same * (DUALRES_CLASSES - 2) / (DUALRES_CLASSES - 1) : 0.0;
}

/* A window's distance, spectrum and level join the sums. */
static void add_looks(double *looks, const float (*between)[DUALRES_CLASSES][DUALRES_CLASSES], const views_block *s) {
    static const double weights[DUALRES_HEADS] = {2 / 6.0, 1 / 6.0, 2 / 6.0, 1 / 6.0};
    const double quietest = 1e-9, rms = (double)s->rms;
    double told[DUALRES_CLASSES] = {0.0}, mean = 0.0, least = HUGE_VAL, nearest = HUGE_VAL;
    for (int i = 0; i < DUALRES_HEADS; i++) {
        const float *distances = s->windows[0].found.distances[i];
        const double same = same_for_all(between[i], distances);
        for (int c = 0; c < DUALRES_CLASSES; c++) {
            const double left = (double)distances[c] - same;
            told[c] += weights[i] * log(left > SMALLEST_DISTANCE ? left : SMALLEST_DISTANCE);
            if (i == 0 && (double)distances[c] < nearest) nearest = (double)distances[c];
        }
    }
    for (int c = 0; c < DUALRES_CLASSES; c++) {
        mean += told[c] / DUALRES_CLASSES;
        if (told[c] < least) least = told[c];
    }
    looks[0] += least - mean;
    looks[1] += log(nearest);
    looks[2] += log(rms > quietest ? rms : quietest);
}
