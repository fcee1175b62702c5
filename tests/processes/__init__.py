"""Tests of the program as an operator runs it: as a process that is started, stopped and killed."""
