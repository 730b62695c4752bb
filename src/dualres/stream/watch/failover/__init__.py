"""Processes that stand by for each other."""
