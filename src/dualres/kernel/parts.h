/* What is compiled once for each instruction set. */

#include "windows.c"
#include "views.c"
#include "orders.c"
#include "training.c"
#include "resample.c"
#include "augment.c"
#include "rocket.c"
#include "dilated.c"
