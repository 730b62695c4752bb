/* Frames that an interrupt has read and the main loop has not judged yet.
 *
 * One side puts and the other takes, and neither waits for the other. When the ring is full, frames are lost. From there on
 * none is put until all that are there were taken, so that the side that takes knows where frames are missing. */

#ifndef DUALRES_RING_H
#define DUALRES_RING_H

#include <stdint.h>
#include <string.h>

#include "dualres.h"

/* A power of two. What comes while a window is judged should fit in, or frames are lost then. */
#ifndef DUALRES_RING_FRAMES
#define DUALRES_RING_FRAMES 2048
#endif

typedef char dualres_ring_holds_a_power_of_two[DUALRES_RING_FRAMES & (DUALRES_RING_FRAMES - 1) ? -1 : 1];

typedef struct {
    dualres_sample frames[DUALRES_RING_FRAMES][DUALRES_AXES];
    uint32_t put;   /* frames so far, modulo 2^32 */
    uint32_t taken; /* likewise */
    uint32_t gap;   /* frames are missing behind the last that was put */
    uint32_t lost;  /* frames so far */
} dualres_ring;

/* A frame joins the ring. 0 if it is lost. */
static inline int ring_put(dualres_ring *ring, const dualres_sample *frame) {
    const uint32_t put = ring->put;
    const int full = put - __atomic_load_n(&ring->taken, __ATOMIC_ACQUIRE) == DUALRES_RING_FRAMES;
    if (full || __atomic_load_n(&ring->gap, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&ring->lost, ring->lost + 1, __ATOMIC_RELAXED);
        __atomic_store_n(&ring->gap, 1, __ATOMIC_RELEASE);
        return 0;
    }
    memcpy(ring->frames[put % DUALRES_RING_FRAMES], frame, sizeof ring->frames[0]);
    __atomic_store_n(&ring->put, put + 1, __ATOMIC_RELEASE);
    return 1;
}

/* The oldest frame leaves the ring. 0 if there is none. */
static inline int ring_take(dualres_ring *ring, dualres_sample *frame) {
    const uint32_t taken = ring->taken;
    if (taken == __atomic_load_n(&ring->put, __ATOMIC_ACQUIRE)) return 0;
    memcpy(frame, ring->frames[taken % DUALRES_RING_FRAMES], sizeof ring->frames[0]);
    __atomic_store_n(&ring->taken, taken + 1, __ATOMIC_RELEASE);
    return 1;
}

/* 1, once, if frames are missing behind the last that was taken. */
static inline int ring_gap(dualres_ring *ring) {
    if (!__atomic_load_n(&ring->gap, __ATOMIC_ACQUIRE)) return 0;
    if (ring->taken != __atomic_load_n(&ring->put, __ATOMIC_ACQUIRE)) return 0;
    __atomic_store_n(&ring->gap, 0, __ATOMIC_RELEASE);
    return 1;
}

/* Frames that were lost so far. */
static inline uint32_t ring_lost(const dualres_ring *ring) { return __atomic_load_n(&ring->lost, __ATOMIC_RELAXED); }

#endif
