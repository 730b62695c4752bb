"""Results on their way between machines: a ledger as text, read back, merged."""
