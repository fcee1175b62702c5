"""Tests of metadata: the provider client, the search, and all providers."""
