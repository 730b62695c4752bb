"""What a verdict is worth: sets of classes with a stated error rate, and what is unlike all that was labelled."""
