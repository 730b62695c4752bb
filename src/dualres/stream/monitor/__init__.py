"""From samples without end to events of windows and blocks."""
