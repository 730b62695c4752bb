"""Does what was stored and shown agree? Everything is computed again."""
