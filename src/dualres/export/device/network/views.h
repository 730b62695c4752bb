/* The network that judges a window: that of views. */

#ifndef DUALRES_NETWORK_H
#define DUALRES_NETWORK_H

#include "kernel/views.h"

typedef dualres_views_model dualres_network;
typedef dualres_views_constants dualres_network_constants;

/* Bytes in which a window is judged; dualres.c refuses to compile if they do not suffice. */
#define DUALRES_SCRATCH_BYTES ((13 * DUALRES_LANES + 10) * 1024)

#define DUALRES_KERNEL "kernel/views.c"
#define DUALRES_KERNEL_BLOCK views_block

#define DUALRES_SEE(network, window, scratch) ((void)0) /* of a window, before any network judges it */
#define DUALRES_LOGITS(network, window, hz, logits, scratch) ((void)(hz), dualres_views(network, window, 1, logits, scratch))

enum { DUALRES_COMPARED = DUALRES_HEADS }; /* heads by which windows are compared */
#define DUALRES_LEFT_DISTANCES(block, head) (block)->windows[0].found.distances[head]

#endif
