/* DualRes for a device; the header of the same name in the folder beside says all. */

#include "dualres/dualres.h"
