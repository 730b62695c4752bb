"""From labelled windows to a model: supports, recipes, fits, and what to expect of them."""
