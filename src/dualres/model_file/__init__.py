"""Weights and card in one sealed file."""
