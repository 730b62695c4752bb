/* A training step of the encoder, window by window, so that what lies between two matrix products stays in the cache.
 *
 * `dualres_encoder_forward` goes from the two views to the mean over tokens, `dualres_encoder_backward` from the
 * derivative by it to those by all parameters. dualres.model.network and dualres.model.memory say the same in
 * PyTorch. */

#include "training.h"

#include "dualres_kernel.h"
#include "products.h"
#include "training_memory.h"

/* LayerNorm of the features, in place, before its gain and bias; v has them. */
static void norm_forward(
    const dualres_training *s, const float *gain, const float *bias, float *rows, float *inverse, float *v) {
    const ptrdiff_t width = s->width;
    for (ptrdiff_t t = 0; t < s->tokens; t++, rows += width, v += width) {
        vec sum = vec_all(0.0f), squares = vec_all(0.0f);
        for (ptrdiff_t d = 0; d < width; d += LANES) sum += vec_load(rows + d);
        const float mean = vec_sum(sum) / (float)width;
        for (ptrdiff_t d = 0; d < width; d += LANES) {
            const vec off = vec_load(rows + d) - mean;
            squares += off * off;
        }
        inverse[t] = 1.0f / sqrtf(vec_sum(squares) / (float)width + 1e-5f);
        for (ptrdiff_t d = 0; d < width; d += LANES) {
            const vec normed = (vec_load(rows + d) - mean) * inverse[t];
            vec_store(rows + d, normed);
            vec_store(v + d, normed * vec_load(gain + d) + vec_load(bias + d));
        }
    }
}

/* From d_v to the features' derivative, in place, which also has the part that went past the memory, `past`. */
static void norm_backward(
    const dualres_training *s, const float *gain, const float *normed, const float *inverse, const float *past,
    float *rows, float *d_gain, float *d_bias) {
    const ptrdiff_t width = s->width;
    for (ptrdiff_t t = 0; t < s->tokens; t++, rows += width, normed += width) {
        vec sum = vec_all(0.0f), along = vec_all(0.0f);
        for (ptrdiff_t d = 0; d < width; d += LANES) {
            const vec d_v = vec_load(rows + d), n = vec_load(normed + d), d_n = d_v * vec_load(gain + d);
            vec_store(d_bias + d, vec_load(d_bias + d) + d_v);
            vec_store(d_gain + d, vec_load(d_gain + d) + d_v * n);
            sum += d_n;
            along += d_n * n;
        }
        const float mean = vec_sum(sum) / (float)width, slope = vec_sum(along) / (float)width;
        for (ptrdiff_t d = 0; d < width; d += LANES) {
            const vec d_n = vec_load(rows + d) * vec_load(gain + d) - mean - vec_load(normed + d) * slope;
            vec_store(rows + d, d_n * inverse[t] + vec_load(past + d));
        }
    }
}

/* Add the sum of the rows to `sum`; four sums side by side neither wait for one another nor round as much as one. */
static void add_rows(const float *rows, ptrdiff_t count, ptrdiff_t columns, float *sum) {
    for (ptrdiff_t d = 0; d < columns; d += LANES) {
        vec part[4] = {vec_all(0.0f), vec_all(0.0f), vec_all(0.0f), vec_all(0.0f)};
        for (ptrdiff_t t = 0; t < count; t++) part[t % 4] += vec_load(rows + t * columns + d);
        vec_store(sum + d, vec_load(sum + d) + ((part[0] + part[1]) + (part[2] + part[3])));
    }
}

/* The mean over tokens of features + mix silu(gate); `pooled` has the sum of the features. */
static void gate_forward(const dualres_training *s, const float *out, float *pooled) {
    const ptrdiff_t width = s->width;
    for (ptrdiff_t d = 0; d < width; d += LANES) {
        vec sum = vec_all(0.0f);
        for (ptrdiff_t t = 0; t < s->tokens; t++) {
            const vec mixed = vec_load(out + t * 2 * width + d), gate = vec_load(out + t * 2 * width + width + d);
            sum += mixed * gate * vec_sigmoid(gate);
        }
        vec_store(pooled + d, (vec_load(pooled + d) + sum) / (float)s->tokens);
    }
}

/* From `past`, the derivative by the output at every token, to d_out. */
static void gate_backward(const dualres_training *s, const float *past, const float *out, float *d_out) {
    const ptrdiff_t width = s->width;
    for (ptrdiff_t t = 0; t < s->tokens; t++, out += 2 * width, d_out += 2 * width) {
        for (ptrdiff_t d = 0; d < width; d += LANES) {
            const vec mixed = vec_load(out + d), gate = vec_load(out + width + d), d_o = vec_load(past + d);
            const vec open = vec_sigmoid(gate);
            vec_store(d_out + d, d_o * gate * open);
            vec_store(d_out + width + d, d_o * mixed * open * (1.0f + gate * (1.0f - open)));
        }
    }
}

/* A weight as the backward pass needs it, [output][input]. */
static void transpose_weight(const float *weight, ptrdiff_t inputs, ptrdiff_t outputs, float *transposed) {
    for (ptrdiff_t i = 0; i < inputs; i++)
        for (ptrdiff_t o = 0; o < outputs; o++) transposed[o * inputs + i] = weight[i * outputs + o];
}

/* Floats of scratch that the functions below need. */
DUALRES_PUBLIC int64_t NAME(dualres_encoder_scratch)(const dualres_training *s) {
    const ptrdiff_t width = s->width, columns = maps_of(s);
    const ptrdiff_t tokens = s->tokens * (columns + 4 * width), weights = (columns + 2 * width) * width;
    return tokens + width + weights + chunk_floats(s) + 2 * s->states * width;
}

/* Floats kept of each window. */
DUALRES_PUBLIC int64_t NAME(dualres_encoder_kept)(const dualres_training *s) { return kept_of(s).count; }

/* Fill `kept` and `pooled` of the windows from `first` to before `last`. */
DUALRES_PUBLIC void NAME(dualres_encoder_forward)(
    const dualres_training *s, int64_t first, int64_t last, float *scratch) {
    const parameter_places at = places_of(s);
    const kept_places in = kept_of(s);
    const float *p = s->parameters;
    const ptrdiff_t tokens = s->tokens, width = s->width, half = width / 2, columns = maps_of(s);
    float *v = scratch, *memory = v + tokens * width;
    for (int64_t window = first; window < last; window++) {
        float *kept = s->kept + window * in.count, *pooled = s->pooled + window * width;
        float *features = kept + in.normed, *maps = kept + in.maps, *y = kept + in.y, *out = kept + in.out;
        const float *short_view = s->short_view + window * tokens * s->short_bins;
        const float *long_view = s->long_view + window * tokens * s->long_bins;
        product(short_view, tokens, s->short_bins, p + at.from_short, half, p + at.features_bias, features, width);
        product(long_view, tokens, s->long_bins, p + at.from_long, half, p + at.features_bias + half, features + half,
                width);
        memset(pooled, 0, width * sizeof *pooled);
        add_rows(features, tokens, width, pooled);
        norm_forward(s, p + at.norm_gain, p + at.norm_bias, features, kept + in.inverse, v);
        product(v, tokens, width, p + at.maps, columns, p + at.maps_bias, maps, columns);
        for (ptrdiff_t t = 0; t < tokens; t++) {
            float *row = maps + t * columns;
            for (ptrdiff_t d = 0; d < width; d += LANES) vec_store(row + d, vec_tanh(vec_load(row + d)));
            for (ptrdiff_t d = 2 * width; d < columns; d += LANES) vec_store(row + d, vec_tanh(vec_load(row + d)));
        }
        memory_forward(s, s->log_damping + window * width, maps, y, kept + in.states, memory);
        product(y, tokens, width, p + at.out, 2 * width, p + at.out_bias, out, 2 * width);
        gate_forward(s, out, pooled);
    }
}

/* Fill `gradient`, in the order of the parameters, with the sum over the windows from `first` to before `last`, and
 * `d_log_damping` of these windows. */
DUALRES_PUBLIC void NAME(dualres_encoder_backward)(
    const dualres_training *s, int64_t first, int64_t last, float *gradient, float *scratch) {
    const parameter_places at = places_of(s);
    const kept_places in = kept_of(s);
    const float *p = s->parameters;
    const ptrdiff_t tokens = s->tokens, width = s->width, half = width / 2, columns = maps_of(s);
    float *d_out = scratch, *d_maps = d_out + tokens * 2 * width, *d_y = d_maps + tokens * columns;
    float *v = d_y + tokens * width, *past = v + tokens * width;
    float *maps_transposed = past + width, *out_transposed = maps_transposed + columns * width;
    float *memory = out_transposed + 2 * width * width;
    memset(gradient, 0, at.count * sizeof *gradient);
    transpose_weight(p + at.maps, width, columns, maps_transposed);
    transpose_weight(p + at.out, width, 2 * width, out_transposed);
    for (int64_t window = first; window < last; window++) {
        const float *kept = s->kept + window * in.count, *normed = kept + in.normed, *maps = kept + in.maps;
        const float *short_view = s->short_view + window * tokens * s->short_bins;
        const float *long_view = s->long_view + window * tokens * s->long_bins;
        for (ptrdiff_t d = 0; d < width; d++) past[d] = s->d_pooled[window * width + d] / (float)tokens;
        gate_backward(s, past, kept + in.out, d_out);
        add_transposed_product(kept + in.y, width, tokens, d_out, 2 * width, 2 * width, gradient + at.out);
        add_rows(d_out, tokens, 2 * width, gradient + at.out_bias);
        product(d_out, tokens, 2 * width, out_transposed, width, NULL, d_y, width);

        memory_backward(s, s->log_damping + window * width, maps, kept + in.states, d_y, d_maps,
                        s->d_log_damping + window * width, gradient + at.theta, memory);
        for (ptrdiff_t i = 0; i < tokens * width; i += width)
            for (ptrdiff_t d = 0; d < width; d += LANES)
                vec_store(v + i + d, vec_load(normed + i + d) * vec_load(p + at.norm_gain + d) +
                                         vec_load(p + at.norm_bias + d));
        add_transposed_product(v, width, tokens, d_maps, columns, columns, gradient + at.maps);
        add_rows(d_maps, tokens, columns, gradient + at.maps_bias);
        float *d_features = d_y;
        product(d_maps, tokens, columns, maps_transposed, width, NULL, d_features, width);

        norm_backward(s, p + at.norm_gain, normed, kept + in.inverse, past, d_features, gradient + at.norm_gain,
                      gradient + at.norm_bias);
        add_rows(d_features, tokens, width, gradient + at.features_bias);
        add_transposed_product(short_view, s->short_bins, tokens, d_features, width, half, gradient + at.from_short);
        add_transposed_product(long_view, s->long_bins, tokens, d_features + half, width, half,
                               gradient + at.from_long);
    }
}
