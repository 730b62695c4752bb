"""Samples in, verdicts and alarms out, for as long as a machine runs."""
