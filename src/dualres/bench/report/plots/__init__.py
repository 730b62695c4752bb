"""Every figure and diagram of the paper, drawn from the results of a ledger; `write.py` writes them."""
