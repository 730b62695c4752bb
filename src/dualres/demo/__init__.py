"""The first thing a newcomer sees."""
