"""Tests of the commands as users run them."""
