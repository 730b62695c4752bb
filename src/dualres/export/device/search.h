/* The speed of the shaft that a stream fits best, of several around the one that is told.
 *
 * A stated speed is hardly ever exact. So every window is judged at each of these, and what its envelope's lines are at
 * orders of each is summed up, too. The verdict is that at the speed where the mean of the lines looks most like a class.
 * One factor of the told speed holds for all windows since dualres_init. */

/* Of the told speed, rising; the one in the middle is 1. */
extern const double dualres_factors[DUALRES_TRIES];
/* Nats by which each is less likely beforehand, and by which another one has to fit better than the told one. */
extern const double dualres_costs[DUALRES_TRIES];
extern const double dualres_stays;

DUALRES_ASSERT(the_told_speed_is_in_the_middle, DUALRES_TRIES % 2 == 1);

enum {
    AS_TOLD = DUALRES_TRIES / 2,
    MOST_HEARD = 1 << 20 /* windows, as many as sums in float32 have digits for: three days */
};

static void begin_search(dualres_state *s) {
    memset(s->lines, 0, sizeof s->lines);
    s->heard = 0;
    s->found = AS_TOLD;
}

static int found_try(const dualres_state *s) { return (int)s->found; }

/* Whether all networks can judge the window: only samples that are not finite keep them from it. */
static int is_heard(const dualres_state *s) {
#ifndef DUALRES_INT16
    for (int a = 0; a < DUALRES_AXES; a++)
        for (int t = 0; t < DUALRES_WINDOW; t++)
            if (!isfinite(s->window[a][t])) return 0;
#else
    (void)s;
#endif
    return 1;
}

/* What a network says of the window that lies in the scratch joins the sums, at every try. Where the speed is not known,
 * all tries are the same. */
static void vote(dualres_state *s, const dualres_network *network) {
    orders_block *block = block_in(s->scratch);
    const dualres_orders_looks *looks = dualres_orders_room(s->scratch);
    float by_spectra[DUALRES_CLASSES], logits[DUALRES_CLASSES];
    judge_spectra(network, block, looks, by_spectra);
    for (int at = 0; at < DUALRES_TRIES; at++) {
        if (at == 0 || SPEED(s) > 0.0) {
            memcpy(logits, by_spectra, sizeof logits);
            judge_turning(network, block, looks, SPEED(s) * dualres_factors[at], logits);
        }
        (void)add_shares(logits, s->sums[at]);
#ifdef DUALRES_LIKENESS
        add_distance(s->looks + at, dualres_between_classes[network - dualres_this_model], block, SPEED(s) > 0.0);
#endif
    }
#ifdef DUALRES_LIKENESS
    add_spectrum_and_level(s->looks + DUALRES_VERDICTS, block);
#endif
}

/* The lines of the window in the scratch join those of its axis. */
static void hear_lines(dualres_state *s, int axis) {
    const float *lines = dualres_orders_room(s->scratch)->lines;
    for (int at = 0; at < DUALRES_TRIES; at++) {
        const double hz = SPEED(s) * dualres_factors[at];
        dualres_orders_hear(networks_of(axis)->constants, lines, &hz, 1, s->lines[axis][at]);
    }
}

/* The try at which all windows so far fit best, by the first network of each axis. */
static void decide(dualres_state *s) {
    double against[DUALRES_TRIES];
    int best = 0;
    for (int at = 0; at < DUALRES_TRIES; at++) {
        against[at] = dualres_costs[at];
        for (int a = 0; a < DUALRES_AXES; a++) {
            float misfit;
            dualres_orders_misfit(networks_of(a), s->lines[a][at], s->heard, 1, &misfit, s->scratch);
            against[at] += (double)misfit / DUALRES_AXES;
        }
        if (against[at] < against[best]) best = at;
    }
    s->found = (uint32_t)(against[AS_TOLD] - against[best] < dualres_stays ? AS_TOLD : best);
}

/* All networks judge the window, one after the other in the same scratch. 0 if they cannot: then nothing is changed. */
static int all_vote(dualres_state *s) {
    const int hears = SPEED(s) > 0.0 && s->heard < MOST_HEARD;
    if (!is_heard(s)) return 0;
    for (int a = 0; a < DUALRES_AXES; a++) {
        DUALRES_SEE(networks_of(a), s->window[a], s->scratch);
        for (int i = 0; i < DUALRES_MEMBERS; i++) vote(s, networks_of(a) + i);
        if (hears) hear_lines(s, a);
    }
    if (hears) {
        s->heard++;
        decide(s);
    }
    return 1;
}
