"""Walks with a real game."""
