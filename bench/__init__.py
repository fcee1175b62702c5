"""Benchmarks: `make bench` measures what matters beside a yardstick in the same run and writes docs/benchmarks.md."""
