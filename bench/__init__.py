"""Benchmarks. `make bench` measures each figure next to a baseline in the same run, and writes docs/benchmarks.md."""
