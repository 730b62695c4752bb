"""Labels of recordings: labels.csv and folders."""
