"""Networks that learn by updates: recipes, augmentation, the training loop, the choice of a recipe."""
