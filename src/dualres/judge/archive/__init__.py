"""Verdicts on archives: many files at once, by processes that may be lost to a damaged one, into a file of results."""
