"""Why a verdict: which bands and which moments spoke for a class and against the runner-up, as parts of the log odds.
Every part is computed forward by itself, and none as what the others leave; that they add up is a test."""
