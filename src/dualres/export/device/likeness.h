/* How like the labelled windows one is, by the distances that the heads have left in their working memory.
 *
 * Across the space that the classes' means span, a window may lie far from all classes at once, because the speed is
 * another one, say. That is the same for all of them and counts for less, the more classes there are. */

/* Of a head: squared lengths from the classes' middle to each, then rows that lead from products with the classes to
 * coordinates between them. */
typedef float dualres_between[DUALRES_CLASSES][DUALRES_CLASSES];
extern const dualres_between dualres_between_classes[DUALRES_NETWORKS][DUALRES_HEADS];
/* How much each head's log-distances count: on an axis of Hz, and on one of orders. */
extern const double dualres_weights[2][DUALRES_COMPARED];
/* How near to a class its own recordings usually lie, in nats; likewise on two axes. */
extern const double dualres_usual[2][DUALRES_CLASSES];

DUALRES_ASSERT(there_are_classes_to_be_between, DUALRES_CLASSES > 1);

/* The part of all squared distances that counts for nothing. */
static double same_for_all(const dualres_between between, const float *distances) {
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

/* A window's distance joins a sum. Of heads on two axes, those on the one of orders lie behind the others, and that of
 * spectra belongs to both. */
static void add_distance(double *sum, const dualres_between *between, const DUALRES_KERNEL_BLOCK *s, int by_order) {
    double told[DUALRES_CLASSES] = {0.0}, mean = 0.0, least = HUGE_VAL;
    for (int i = 0; i < DUALRES_COMPARED; i++) {
        const int head = by_order && i > 0 ? i + DUALRES_COMPARED - 1 : i;
        const float *distances = DUALRES_LEFT_DISTANCES(s, i);
        const double same = same_for_all(between[head], distances);
        for (int c = 0; c < DUALRES_CLASSES; c++) {
            const double left = (double)distances[c] - same;
            told[c] += dualres_weights[by_order][i] * log(left > SMALLEST_DISTANCE ? left : SMALLEST_DISTANCE);
        }
    }
    for (int c = 0; c < DUALRES_CLASSES; c++) {
        mean += told[c] / DUALRES_CLASSES;
        const double unusual = told[c] - dualres_usual[by_order][c];
        if (unusual < least) least = unusual;
    }
    *sum += least - mean;
}

/* Its spectrum and level join two sums; they are the same at every speed. */
static void add_spectrum_and_level(double *sums, const DUALRES_KERNEL_BLOCK *s) {
    const double quietest = 1e-9, rms = (double)s->rms;
    const float *distances = DUALRES_LEFT_DISTANCES(s, 0);
    float nearest = distances[0];
    for (int c = 1; c < DUALRES_CLASSES; c++)
        if (distances[c] < nearest) nearest = distances[c];
    sums[0] += log((double)nearest);
    sums[1] += log(rms > quietest ? rms : quietest);
}
