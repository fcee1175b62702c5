"""Deleting what is in managed libraries and not imported, and ignoring what is in any library."""
