"""Deleting what is in managed libraries and not imported."""
