"""A whole update as one recorded graph."""
