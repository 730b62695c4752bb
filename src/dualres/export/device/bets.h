/* Alarms at a stated rate: what dualres.stream.alarm does in Python, block after block, from the same constants.
 *
 * What is new in a block has a rank among what was new in healthy ones. Bets that it is lifted pay by that rank, and are
 * fair to a healthy machine. What a rank pays follows from the number of healthy blocks and the normal distribution, and
 * is computed anew for every bet, which takes less flash than a table of it. All of it is in double precision, once in a
 * block. */

#include <math.h>
#include <string.h>

#include "dualres.h"

static const double LEAST_PAID = 1e-30, LARGEST_WEALTH = 1e300;
static const double FURTHEST = 40.0;          /* standard deviations; nothing lies beyond */
static const double ROOT_OF_TWO_PI = 2.5066282746310002;
enum { FINER = 24 /* gaps above a cell for each gap in it */, ITERATIONS = 24 };
#define UNKNOWN_GAP UINT32_MAX

/* The share of a standard normal distribution above x, which is not below 0, over exp(-x^2 / 2); 1e-12 of it are wrong. */
static double tail_over_bell(double x) {
    static const double terms[] = {
        -1.6669543059673426e+00, 8.0485715591515850e-01, 1.8867367281135056e-01, 8.2031194394490865e-03,
        -2.3031822117767550e-02, -9.2194418196413271e-03, 2.0656000591074137e-03, 2.7518626274204427e-03,
        1.9209827175114375e-04, -6.6959833195115925e-04, -1.9316028527693280e-04, 1.4210045569034834e-04,
        7.6015252297959512e-05, -2.5582476261493093e-05, -2.2428219453814980e-05, 3.5143982455418911e-06,
        4.8688413755311249e-06, -2.7332581878909462e-07, -5.7608872321363446e-07};
    const double t = 4.0 / (4.0 + x), y = 2.0 * t - 1.0;
    double sum = 0.0;
    for (int i = (int)(sizeof terms / sizeof *terms) - 1; i >= 0; i--) sum = sum * y + terms[i];
    return t * exp(sum);
}

/* The share above x. */
static double share_above(double x) {
    if (x < 0.0) return 1.0 - share_above(-x);
    return tail_over_bell(x) * exp(-x * x / 2.0);
}

/* The value above which a share lies, by Newton's method from beyond it, which nears it from that side alone. */
static double value_below(double share) {
    if (share <= 0.0) return FURTHEST;
    if (share >= 1.0) return -FURTHEST;
    if (share > 0.5) return -value_below(1.0 - share);
    const double wanted = log(share);
    double x = 8.0;
    for (int i = 0; i < ITERATIONS; i++) {
        const double tail = tail_over_bell(x), step = (log(tail) - x * x / 2.0 - wanted) * ROOT_OF_TWO_PI * tail;
        x += step;
        if (fabs(step) < 1e-13) break;
    }
    return x;
}

/* The chance that something new lies above an end between cells; 0 is the end below the lowest. Cells have one gap
 * between healthy values at the top, and more further down. Those beyond all healthy values have chances of their own. */
static double chance_above(const dualres_healthy *h, uint32_t end) {
    if (end == h->cells + h->beyond) return 0.0;
    if (end >= h->cells) return exp((end - h->cells + 1) * h->rarer) / h->gaps;
    uint32_t gaps = 0;
    for (uint32_t cell = h->cells; cell > end; cell--) {
        const uint32_t width = gaps < FINER ? 1 : gaps / FINER;
        gaps = width < h->gaps - gaps ? gaps + width : h->gaps;
    }
    return (double)gaps / h->gaps;
}

static double value_at(const dualres_rising *values, uint32_t number) {
    return values->from + values->step * values->steps[number];
}

/* What a bet on a shift pays in a cell between two values, for each chance that health has to fall into it. */
static double paid(double low, double high, double shift, double chance) {
    const double ratio = (share_above(low - shift) - share_above(high - shift)) / chance;
    return ratio > LEAST_PAID ? ratio : LEAST_PAID;
}

/* The e-value of one of so many copies of a block. */
static double of_one_copy(double e_value) {
    const double copies = dualres_alarm_bets.repeats;
    return copies > 1.0 ? exp(log(e_value) / copies) : e_value;
}

/* What is new in a block is bet on, as far as it is unusual for every healthy stretch. */
static void bet(dualres_alarm *a, double news) {
    const dualres_bets *bets = &dualres_alarm_bets;
    double begins[DUALRES_LIFTS], goes_on[DUALRES_LIFTS];
    for (int i = 0; i < DUALRES_LIFTS; i++) begins[i] = goes_on[i] = HUGE_VAL;
    for (const dualres_healthy *h = dualres_alarm_healthy; h < dualres_alarm_healthy + DUALRES_STRETCHES; h++) {
        uint32_t cell = 0;
        while (cell < h->cells - 1 + h->beyond && value_at(&h->edges, cell) < news) cell++;
        const double above = chance_above(h, cell), beyond = chance_above(h, cell + 1);
        const double low = value_below(above), high = value_below(beyond);
        for (int i = 0; i < DUALRES_LIFTS; i++) {
            const double later = paid(low, high, bets->later[i], above - beyond) * h->goes_on[i];
            const double sudden = paid(low, high, bets->first[i], above - beyond) * h->begins[i];
            const double first = bets->sudden * sudden + (1.0 - bets->sudden) * later;
            if (first < begins[i]) begins[i] = first;
            if (later < goes_on[i]) goes_on[i] = later;
        }
    }
    for (int i = 0; i < DUALRES_LIFTS; i++) {
        const double wealth = a->wealth[i] * of_one_copy(goes_on[i]) + of_one_copy(begins[i]);
        a->wealth[i] = wealth < LARGEST_WEALTH ? wealth : LARGEST_WEALTH;
    }
}

static double weighted(const dualres_alarm *a) {
    double sum = 0.0;
    for (int i = 0; i < DUALRES_LIFTS; i++) sum += dualres_alarm_bets.weights[i] * a->wealth[i];
    return sum;
}

/* The e-value of a machine that is healthy again, of one at this level. */
static double recovery(double level) {
    double least = 1.0;
    for (const dualres_healthy *h = dualres_alarm_healthy; h < dualres_alarm_healthy + DUALRES_STRETCHES; h++) {
        uint32_t below = 0, rank = h->gaps;
        while (below < h->kept && value_at(&h->levels, below) <= level) below++;
        if (below < h->kept) rank = (uint32_t)(below * (double)(h->gaps - 1) / (h->kept - 1) + 0.5);
        const double share = (rank + 1.0) / (h->gaps + 1.0);
        if (share < least) least = share;
    }
    return exp(-log(2.0 * least) / dualres_alarm_bets.copies);
}

static double level_of(double score) {
    const double nearest = dualres_alarm_bets.nearest;
    if (nearest <= 0.0) return score;
    const double inside = score < nearest ? nearest : score > 1.0 - nearest ? 1.0 - nearest : score;
    return log(inside / (1.0 - inside));
}

static void take_mean(dualres_alarm *a, double score) {
    const double level = level_of(score), before = a->before;
    const int has_neighbour = a->has_neighbour;
    a->before = level;
    a->has_neighbour = 1;
    if (has_neighbour) bet(a, level - dualres_alarm_bets.carried * before);
    if (!a->raised) {
        if (weighted(a) < dualres_alarm_bets.reached) return;
        a->raised = 1;
        a->since = a->blocks - 1;
        return;
    }
    a->healthy_again = 1.0 + a->healthy_again * recovery(level);
    if (a->healthy_again < dualres_alarm_bets.cleared) return;
    for (int i = 0; i < DUALRES_LIFTS; i++) a->wealth[i] = 0.0;
    a->healthy_again = 1.0;
    a->raised = a->acknowledged = 0;
}

/* The next block has no neighbour; where neighbours have nothing in common, that matters only to those that are joined. */
static void part(dualres_alarm *a) {
    if (dualres_alarm_bets.carried > 0.0) a->has_neighbour = 0;
    a->waiting = 0.0;
    a->waited = 0;
}

void dualres_alarm_init(dualres_alarm *a) {
    memset(a, 0, sizeof *a);
    a->of = DUALRES_ALARM_ID;
    a->healthy_again = 1.0;
    a->missing = UNKNOWN_GAP;
}

int dualres_alarm_block(dualres_alarm *a, double score, int follows) {
    if (a->of != DUALRES_ALARM_ID) dualres_alarm_init(a);
    if (!isfinite(score)) {
        part(a);
        return a->raised;
    }
    a->blocks++;
    a->score = score;
    if (!follows) part(a);
    a->waiting += score;
    if (++a->waited == dualres_alarm_bets.joined) {
        take_mean(a, a->waiting / a->waited);
        a->waiting = 0.0;
        a->waited = 0;
    }
    return a->raised;
}

double dualres_alarm_evidence(const dualres_alarm *a) { return log(1.0 + weighted(a)); }
