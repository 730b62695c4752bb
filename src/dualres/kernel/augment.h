/* What an augmented fit makes its views from. Buffers are floats without gaps. */

#ifndef DUALRES_AUGMENT_H
#define DUALRES_AUGMENT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t tokens, bins;
    const float *magnitudes; /* (windows, tokens, bins) */
    const float *gains; /* (windows, bins) */
    const int64_t *partners; /* (windows,) */
    const float *shares; /* (windows,), of the window itself; the rest is its partner's */
    const float *scale, *shift; /* (bins,), of logarithms to base two */
} dualres_augment;

#endif
