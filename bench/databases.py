"""Empty databases of both systems, for what is measured on both."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from postgresql import execute, find_programs, running_server


@contextmanager
def databases(sizes: Sequence[int]) -> Iterator[dict[str, dict[int, str]]]:
    """Run PostgreSQL, and yield the URLs of empty databases, one for each size, by the name of the database system."""
    programs = find_programs()
    assert programs is not None, "Install Debian's package postgresql."
    with running_server(programs) as address:
        for size in sizes:
            execute(address, f"CREATE DATABASE bench{size} TEMPLATE template0")
        yield {"SQLite": dict.fromkeys(sizes, ""), "PostgreSQL": {size: f"{address}/bench{size}" for size in sizes}}
