/* The network that judges a window: the paper's. */

#ifndef DUALRES_NETWORK_H
#define DUALRES_NETWORK_H

#include "kernel/dualres_kernel.h"

typedef dualres_model dualres_network;
typedef dualres_constants dualres_network_constants;

/* Bytes in which a window is judged; dualres.c refuses to compile if they do not suffice. */
#define DUALRES_SCRATCH_BYTES ((12 * DUALRES_LANES + 1) * 1024)

#define DUALRES_KERNEL "kernel/windows.c"
#define DUALRES_KERNEL_BLOCK scratch_block

#define DUALRES_SEE(network, window, scratch) ((void)0) /* of a window, before any network judges it */
#define DUALRES_LOGITS(network, window, hz, logits, scratch) ((void)(hz), dualres_windows(network, window, 1, logits, scratch))

#endif
