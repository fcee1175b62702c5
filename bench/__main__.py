"""Run all benchmarks, print the table, and write it to docs/benchmarks.md."""

import os
import platform
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from bench import (
    archives,
    backups,
    client,
    drop,
    imports,
    interface,
    mirrors,
    nodes,
    notifications,
    observation,
    pages,
    patch_sizes,
    plan,
    s3,
    scans,
    serving,
    store,
    together,
    uploads,
)
from bench.nginx import nginx_is_there
from bench.pairs import PairsMissing
from bench.requests import wrk_is_there
from bench.table import Row, as_markdown

_PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
_METHOD = """\
Everything runs on one machine, over loopback, on a warm page cache. A figure and its baseline are measured in turn in
the same run, several times, and the medians are given: these machines are noisy, so look at the ratios. Rates are
measured by `wrk` for three seconds at a time. The baseline of an import is a bare loop over the same files by the
same libraries (read, FastCDC, BLAKE3, CRC-32) on all cores and nothing else; the import is measured through the
service, from the call to the end of the task, which includes listing, checkpoints, layer and manifest.

The store is measured with 10,000 games of a random generator (400 tags, 2,500 companies, descriptions of 180 words,
four pictures each) over HTTP by one client; PostgreSQL has counted its rows (VACUUM ANALYZE), as it does by itself a
minute after many were written. The number in brackets is how many games the query finds.

Pages are measured in Chromium as on a slow phone (1.6 Mbit/s, 150 ms there and back, a processor four times slower), by
somebody who comes for the first time, with a store of 10,000 games; the baseline is a page of one sentence without
anything to load. Code, styles and letters are counted as they come, with their headers.

Serving is measured beside nginx with one process and sendfile, each server on one core and the client, which reads
over plain sockets and throws away what comes, on the other. nginx has no images: where an image of 2,000 files is read
whole, it sends these files one after the other, and elsewhere one file of 4 GiB.
`tcp_nopush` is off: with it, nginx waits for a delayed acknowledgement with each short range on a kept connection.
s/GB are seconds of processor time that the server takes for 1 GB. Where downloads run beside calls, everything runs on
all cores.

An installation is measured through the client of players, connected to the service, in memory (`/dev/shm`) where there
is room, so that the disk's own limit is not what is measured. The bare loop reads the same files and writes them
elsewhere by one thread. What an update fetches is counted between client and service, both ways, with headers, manifest
and listing; rsync tells its literal data. The releases come from the registries they are published in, and are kept in
`.cache/pairs`.

A scan is measured after all versions were imported: it lists the folders of games and compares them with the database,
while the walk reads the metadata of all files. The files of a new folder are written over four seconds.

An upload is one request of `curl` with the whole archive, in memory (`/dev/shm`), where syncing costs nothing: nginx
does not sync what it stores. With a checksum, Playdock also computes the SHA-256 of what it receives.

Each small file costs the interpreter more than the system: it is listed with its size and time, checked by name,
opened, checked again after reading, recorded, and written into layer and manifest, all under one interpreter lock,
where the bare loop only opens, reads and hashes. Threads cannot share that work, so a second process reads about half
of the files where there are 8,000 or more. Its memory, some 22 MiB, is not in the peak.
"""


def main() -> int:
    if not (wrk_is_there() and nginx_is_there()):
        print("The benchmarks need wrk and nginx: install Debian's packages wrk and nginx-light.")
        return 1
    rows = []
    for row in chain(*(measure() for measure in _PARTS)):
        print(row, flush=True)
        rows.append(row)
    machine = f"{os.cpu_count()} cores ({_processor()}), Python {platform.python_version()}, {platform.system()}"
    page = f"# Benchmarks\n\n{datetime.now(UTC):%Y-%m-%d}, {machine}. Made by `make bench`.\n\n{as_markdown(rows)}\n"
    _PAGE.write_text(page + _METHOD)
    print(as_markdown(rows))
    return 0


def _updates() -> Iterator[Row]:
    """Measure updates between real releases, if they can be downloaded."""
    try:
        yield from client.measure_updates()
        yield from patch_sizes.measure()
    except PairsMissing as reason:
        print(f"Updates are not measured. {reason}")


_PARTS = (
    interface.measure,
    observation.measure,
    store.measure,
    backups.measure,
    s3.measure,
    notifications.measure,
    mirrors.measure,
    drop.measure,
    nodes.measure,
    together.measure,
    pages.measure,
    plan.measure,
    scans.measure,
    imports.measure,
    archives.measure,
    uploads.measure,
    serving.measure,
    client.measure,
    _updates,
)


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


sys.exit(main())
