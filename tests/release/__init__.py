"""Tests of releases: the contents of the packages, and their use in empty environments."""
