"""Tests of the program as an operator runs it: a process of its own, started, stopped and killed."""
