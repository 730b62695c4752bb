"""Why a verdict: which bands and which moments spoke for a class and against the runner-up.

The logarithm of the odds between the two is taken apart into a sum. Every part is computed forward by itself, and none
as what the others leave; that they add up is a test.
"""
