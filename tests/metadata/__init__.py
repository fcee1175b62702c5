"""Tests of metadata: the desk, the search, and all providers."""
