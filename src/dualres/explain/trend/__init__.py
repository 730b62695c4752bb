"""How a machine changes over weeks: dated recordings, their levels and lines, and a change point at a stated rate."""
