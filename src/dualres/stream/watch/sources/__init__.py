"""Where samples come from; `catalogue.py` lists the kinds."""
