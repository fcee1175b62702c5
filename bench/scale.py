"""Stores of 100,000 games and versions of 1,000,000 files, each next to a smaller one: python -m bench.scale."""

from itertools import chain

from bench import large, many_files
from bench.table import as_markdown


def main() -> None:
    rows = []
    for row in chain(large.measure(), many_files.measure()):
        # It takes half an hour.
        print(row.what, row.ours, row.baseline, sep=" | ", flush=True)
        rows.append(row)
    print(as_markdown(rows))


if __name__ == "__main__":
    main()
