/* Blocks for an alarm: windows that follow each other, as dualres.stream.Monitor cuts them. */

#include "bets.h"

enum { LOOKED_AT = 3 /* windows of a block */ };

static void begin_block(dualres_alarm *a, const dualres_state *s) {
    a->in_block = 0;
    for (int at = 0; at < DUALRES_VERDICTS; at++) a->sums[at] = s->sums[at][DUALRES_HEALTHY];
#ifdef DUALRES_LIKENESS
    a->looked = 0;
    memset(a->looks, 0, sizeof a->looks);
#endif
}

/* From 0 to 2: the probability of everything but health, and 1 more for what is unlike all that was labelled. */
static double score_of_block(const dualres_alarm *a, const dualres_state *s) {
    const int found = found_try(s), voters = DUALRES_AXES * DUALRES_MEMBERS;
    dualres_result r;
    memset(&r, 0, sizeof r);
    r.windows = DUALRES_BLOCK_WINDOWS;
#ifdef DUALRES_LIKENESS
    const double looks = (double)a->looked * voters;
    r.distance = a->looks[found] / looks;
    r.spectrum = a->looks[DUALRES_VERDICTS] / looks;
    r.level = a->looks[DUALRES_VERDICTS + 1] / looks;
#endif
    const double healthy = s->sums[found][DUALRES_HEALTHY] - a->sums[found];
    return 1.0 - healthy / ((double)DUALRES_BLOCK_WINDOWS * voters) + (dualres_unlike(&r) != 0);
}

/* The window that was just judged joins the block; the first of each third of a block is looked at. */
static void take_window(dualres_alarm *a, const dualres_state *s) {
#ifdef DUALRES_LIKENESS
    const int looks = a->in_block % ((DUALRES_BLOCK_WINDOWS + LOOKED_AT - 1) / LOOKED_AT) == 0;
    a->looked += (uint32_t)looks;
    for (int i = 0; i < DUALRES_VERDICTS + 2; i++) {
        if (looks) a->looks[i] += s->looks[i] - a->looks_before[i];
        a->looks_before[i] = s->looks[i];
    }
#endif
    a->windows = s->windows;
    if (++a->in_block < DUALRES_BLOCK_WINDOWS) return;
    const int follows = a->missing < DUALRES_BLOCK_FRAMES;
    a->missing = 0;
    dualres_alarm_block(a, score_of_block(a, s), follows);
    begin_block(a, s);
}

static void miss(dualres_alarm *a, size_t frames) {
    a->missing = frames < UNKNOWN_GAP - a->missing ? a->missing + (uint32_t)frames : UNKNOWN_GAP;
}

int dualres_alarm_push(dualres_alarm *a, dualres_state *s, const dualres_sample *samples, size_t count) {
    if (a->of != DUALRES_ALARM_ID) dualres_alarm_init(a);
    if (a->windows != s->windows) { /* the stream began anew, or went on without the alarm */
        a->windows = s->windows;
        a->missing = UNKNOWN_GAP;
        begin_block(a, s);
#ifdef DUALRES_LIKENESS
        memcpy(a->looks_before, s->looks, sizeof a->looks_before);
#endif
    }
    if (!samples) {
        dualres_push(s, NULL, 0);
        if (s->windows != a->windows) take_window(a, s);
        miss(a, count ? count : UNKNOWN_GAP);
        return a->raised;
    }
    for (const dualres_sample *frame = samples; count > 0; count--, frame += DUALRES_AXES) {
        const uint32_t refused = s->refused;
        dualres_push(s, frame, 1);
        if (s->windows != a->windows) take_window(a, s);
        miss(a, s->refused != refused);
    }
    return a->raised;
}
