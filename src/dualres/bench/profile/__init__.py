"""What inference costs: time, memory and bytes of every method on the same recording, measured in fresh processes."""
