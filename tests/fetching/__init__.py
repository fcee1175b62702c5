"""Tests of the one way in which the service asks other servers."""
