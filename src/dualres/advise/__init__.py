"""What to label next, and what more labels would bring."""
