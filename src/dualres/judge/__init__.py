"""From a recording to a verdict."""
