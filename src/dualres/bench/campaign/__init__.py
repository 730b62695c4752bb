"""Campaigns: studies, their jobs, who does them, and the ledger that remembers what was done."""
