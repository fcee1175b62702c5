"""Tests of the client's commands, run as players run them: a process, and a real server."""
