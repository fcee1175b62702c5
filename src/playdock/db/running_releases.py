"""Which releases are running on a database, for migrations that an older one does not survive.

Migrations only *expand* the schema (new tables, columns with defaults, indexes), so that an older release can run on
until it is replaced. What only the older release used is removed by a *contracting* migration of a later release: its
module sets ``contracts = True``, and it is refused while an older release is running.
"""

import re
from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import Connection, inspect, select

from playdock.db.heartbeats import max_silence
from playdock.db.moments import shared_time
from playdock.kit.clock import utc_now
from playdock.kit.workers import is_dead
from playdock.models import Node


class RunningRelease(Struct, frozen=True, order=True):
    """A node, and the release of one of its processes."""

    node: str
    release: str


def older_releases(connection: Connection, release: str) -> Sequence[RunningRelease]:
    """Return the nodes that run releases older than one, sorted."""
    if not inspect(connection).has_table(Node.__tablename__):
        return []
    silence = max_silence(embedded=connection.dialect.name == "sqlite")
    alive = select(Node.id, Node.name, Node.release).where(
        Node.heartbeat > shared_time(connection, utc_now(), after=-silence)
    )
    return sorted(
        {
            RunningRelease(name, running)
            for worker_id, name, running in connection.execute(alive)
            if is_older(running, release) and not is_dead(worker_id)
        }
    )


def is_older(release: str, other: str) -> bool:
    """Return whether a release is older than another one. What is no number in them is ignored."""
    return _numbers(release) < _numbers(other)


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", release)[:3])
