/* The network that judges a window: that of orders. */

#ifndef DUALRES_NETWORK_H
#define DUALRES_NETWORK_H

#include "kernel/orders.h"

typedef dualres_orders_model dualres_network;
typedef dualres_orders_constants dualres_network_constants;

/* It judges by the speed of the shaft, too, where it has learned from speeds. */
#define DUALRES_TURNING

/* Bytes in which a window is judged; dualres.c refuses to compile if they do not suffice. */
#define DUALRES_SCRATCH_BYTES ((89 * DUALRES_LANES + 128) * 128)

#define DUALRES_KERNEL "kernel/orders.c"
#define DUALRES_KERNEL_BLOCK orders_block

/* All networks of an axis see the same of a window, whatever the speed. It stays in the scratch. */
#define DUALRES_SEE(network, window, scratch) \
    dualres_orders_see((network)->constants, window, 1, dualres_orders_room(scratch), scratch)
#define DUALRES_LOGITS(network, window, hz, logits, scratch) \
    ((void)(window), dualres_orders_judge(network, dualres_orders_room(scratch), 1, &(const double){hz}, logits, scratch))

enum {
    DUALRES_COMPARED = 3, /* heads by which windows are compared: of spectra, swings and lines */
    DUALRES_HEADS = 5     /* of spectra, and of both others on an axis of Hz and on one of orders */
};
#define DUALRES_LEFT_DISTANCES(block, head) (block)->windows[0].room.answers.distances[head]

#endif
