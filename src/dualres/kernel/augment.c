/* Log-magnitudes as an augmented fit sees them: through a path, blended with another window's, and standardised.
 *
 * dualres.learn.trained.augment.supports says the same in PyTorch. */

#include "augment.h"

#include <string.h>

#include "dualres_kernel.h"
#include "lanes.h"

/* The mixture of log(1 + own) and log(1 + other), to base two. */
static inline vec blended(vec own, vec other, float share, float rest) {
    return share * vec_log2(own + 1.0f) + rest * vec_log2(other + 1.0f);
}

/* A token's bins. `from` and `gain` are the window's own and its partner's; the blend is scaled, then shifted. */
static inline void seen_token(
    ptrdiff_t bins, const float *const from[2], const float *const gain[2], const float *scale, const float *shift,
    float share, float rest, float *out) {
    for (ptrdiff_t at = 0; at < bins; at += LANES) {
        const ptrdiff_t f = at + LANES <= bins ? at : bins - LANES; /* the last vector overlaps the one before */
        const vec own = vec_load(from[0] + f) * vec_load(gain[0] + f);
        const vec other = vec_load(from[1] + f) * vec_load(gain[1] + f);
        vec_store(out + f, blended(own, other, share, rest) * vec_load(scale + f) + vec_load(shift + f));
    }
}

/* The same where a token has fewer bins than there are lanes. */
static void seen_few(
    ptrdiff_t bins, const float *const from[2], const float *const gain[2], const float *scale, const float *shift,
    float share, float rest, float *out) {
    float padded[7][LANES] = {{0}};
    const float *given[6] = {from[0], from[1], gain[0], gain[1], scale, shift};
    for (int i = 0; i < 6; i++) memcpy(padded[i], given[i], bins * sizeof(float));
    const float *const few[2] = {padded[0], padded[1]}, *const few_gains[2] = {padded[2], padded[3]};
    seen_token(LANES, few, few_gains, padded[4], padded[5], share, rest, padded[6]);
    memcpy(out, padded[6], bins * sizeof(float));
}

/* Fill `out` for the window `window`. */
DUALRES_PUBLIC void NAME(dualres_augment_window)(const dualres_augment *a, int64_t window, float *out) {
    const ptrdiff_t size = a->tokens * a->bins;
    const int64_t partner = a->partners[window];
    const float share = a->shares[window];
    const float *const gain[2] = {a->gains + window * a->bins, a->gains + partner * a->bins};
    for (ptrdiff_t t = 0; t < size; t += a->bins) {
        const float *const from[2] = {a->magnitudes + window * size + t, a->magnitudes + partner * size + t};
        if (a->bins < LANES)
            seen_few(a->bins, from, gain, a->scale, a->shift, share, 1.0f - share, out + t);
        else
            seen_token(a->bins, from, gain, a->scale, a->shift, share, 1.0f - share, out + t);
    }
}
