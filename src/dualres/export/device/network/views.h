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
#define DUALRES_LOGITS dualres_views

#endif
