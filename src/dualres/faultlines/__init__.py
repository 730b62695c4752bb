"""Where a machine's faults show: the rates of bearings, gears and shafts, and tests whether a recording has them."""
