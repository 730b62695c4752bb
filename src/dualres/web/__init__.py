"""The page over the same calls: look at recordings, label them, fit, judge, watch. It asks and shows, nothing more."""
