/* What a training step of the encoder works on: sizes, and where each number lies. Buffers are floats without gaps. */

#ifndef DUALRES_TRAINING_H
#define DUALRES_TRAINING_H

#include <stddef.h>
#include <stdint.h>

#include "lanes.h"

enum {
    CHUNK = 16, /* tokens from one kept state of the memory to the next; those between are computed again */
    WIDTH_STEP = 64, STATES_STEP = 4, /* widths and states come in multiples of these; encoder.py sees to it */
    LINE = 16 /* floats in a line of the cache */
};

DUALRES_ASSERT(halves_of_the_features_fill_vectors, WIDTH_STEP / 2 % LANES == 0);
DUALRES_ASSERT(write_and_read_fill_vectors, 4 * STATES_STEP % LANES == 0);
DUALRES_ASSERT(lines_hold_whole_vectors, LINE % LANES == 0);

typedef struct {
    int64_t tokens, short_bins, long_bins, width, states;
    const float *short_view, *long_view; /* (windows, tokens, bins) */
    const float *log_damping; /* (windows, width), per token, before the input changes it */
    const float *parameters; /* as in `parameter_places` */
    const float *ahead; /* (tokens, 2 states): exp(i j theta), j from 1: cosines, then sines */
    float *kept; /* (windows, kept_places.count): what the backward pass needs of the forward pass */
    float *pooled; /* (windows, width) */
    const float *d_pooled; /* gradients: d_x is the loss's derivative by x, in the shape of x */
    float *d_log_damping;
} dualres_training;

/* Where each parameter begins. Weights are [input][output].
 *
 * The maps give damping, input, write and read in turn, the order of maps.py, the last two real parts first; the
 * readout gives mix and gate. */
typedef struct {
    ptrdiff_t from_short, from_long, features_bias, norm_gain, norm_bias;
    ptrdiff_t maps, maps_bias, out, out_bias, theta, count;
} parameter_places;

static inline ptrdiff_t maps_of(const dualres_training *s) { return 2 * s->width + 4 * s->states; }

static inline parameter_places places_of(const dualres_training *s) {
    const ptrdiff_t width = s->width, half = width / 2, maps = maps_of(s);
    parameter_places at;
    at.from_short = 0;
    at.from_long = at.from_short + s->short_bins * half;
    at.features_bias = at.from_long + s->long_bins * half;
    at.norm_gain = at.features_bias + width;
    at.norm_bias = at.norm_gain + width;
    at.maps = at.norm_bias + width;
    at.maps_bias = at.maps + width * maps;
    at.out = at.maps_bias + maps;
    at.out_bias = at.out + width * 2 * width;
    at.theta = at.out_bias + 2 * width;
    at.count = at.theta + s->states;
    return at;
}

/* Where what is kept of a window begins. */
typedef struct {
    ptrdiff_t normed; /* (tokens, width): normalised features */
    ptrdiff_t maps; /* (tokens, maps): tanh of damping, input, tanh of write and read */
    ptrdiff_t y; /* (tokens, width) */
    ptrdiff_t out; /* (tokens, 2 width) */
    ptrdiff_t states; /* (chunks, 2 states, width): the memory before each chunk, in coordinates that rotate along */
    ptrdiff_t inverse; /* (tokens,): 1 / standard deviation of the features */
    ptrdiff_t count;
} kept_places;

static inline kept_places kept_of(const dualres_training *s) {
    kept_places at;
    at.normed = 0;
    at.maps = at.normed + s->tokens * s->width;
    at.y = at.maps + s->tokens * maps_of(s);
    at.out = at.y + s->tokens * s->width;
    at.states = at.out + s->tokens * 2 * s->width;
    at.inverse = at.states + (s->tokens + CHUNK - 1) / CHUNK * 2 * s->states * s->width;
    at.count = at.inverse + (s->tokens + LINE - 1) / LINE * LINE;
    return at;
}

#endif
