"""Where verdicts go; `catalogue.py` lists the kinds."""
