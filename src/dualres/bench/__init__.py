"""What only a researcher runs: datasets and folds, methods, campaigns, results."""
