"""Every figure that the results of a ledger can fill; `write.py` writes them."""
