"""Processes that see what `pip install dualres` brings, and nothing else."""
