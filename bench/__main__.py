"""Run all benchmarks, print the table, and write it to docs/benchmarks.md."""

import os
import platform
import sys
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from bench import imports, interface, plan, store
from bench.requests import wrk_is_there
from bench.table import as_markdown

_PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
_METHOD = """\
Everything runs on one machine, over loopback, on a warm page cache. A figure and its yardstick are measured in turn in
the same run, several times, and the medians are given: these machines are noisy, so look at the ratios. Rates are
measured by `wrk` for three seconds at a time. The yardstick of an import is a bare loop over the same files by the
same libraries (read, FastCDC, BLAKE3, CRC-32) on all cores and nothing else; the import is measured through the
service, from the call to the end of the task, which includes listing, checkpoints, layer and manifest.

The store is measured with 10,000 games of a random generator (400 tags, 2,500 companies, descriptions of 180 words,
four pictures each) over HTTP by one client; PostgreSQL has counted its rows (VACUUM ANALYZE), as it does by itself a
minute after many were written. The number in brackets is how many games the query finds.

Small files fall short of what is wanted. Each costs the interpreter more than the system: being listed with its size
and time, checked by name, opened, looked at again after reading, recorded, and written into layer and manifest, all
under one interpreter lock, where the bare loop only opens, reads and hashes. Threads cannot help; a second process
could take half of the reading.
"""


def main() -> int:
    if not wrk_is_there():
        print("The benchmarks need wrk: install Debian's package wrk.")
        return 1
    rows = []
    for row in chain(interface.measure(), store.measure(), plan.measure(), imports.measure()):
        print(row, flush=True)
        rows.append(row)
    machine = f"{os.cpu_count()} cores ({_processor()}), Python {platform.python_version()}, {platform.system()}"
    page = f"# Benchmarks\n\n{datetime.now(UTC):%Y-%m-%d}, {machine}. Made by `make bench`.\n\n{as_markdown(rows)}\n"
    _PAGE.write_text(page + _METHOD)
    print(as_markdown(rows))
    return 0


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


sys.exit(main())
