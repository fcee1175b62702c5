"""Which versions of a game are old."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct


class VersionInOrder(Struct, frozen=True):
    """A version of a game, with the id of the version that it is based on."""

    id: str
    platform: str
    base_id: str | None = None


def old_versions(versions: Sequence[VersionInOrder], *, keep: int) -> list[str]:
    """Return the ids of the versions that are not among the newest ones of their platform, newest first.

    ``versions`` are those of a game, oldest first. What a newer version that is kept is based on is kept too.
    """
    of_platform: dict[str, list[VersionInOrder]] = defaultdict(list)
    for version in versions:
        of_platform[version.platform].append(version)
    kept = {version.id for each in of_platform.values() for version in each[-keep:]}
    for version in reversed(versions):
        if version.id in kept and version.base_id is not None:
            kept.add(version.base_id)
    return [version.id for version in reversed(versions) if version.id not in kept]
