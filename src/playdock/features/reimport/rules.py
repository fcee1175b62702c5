"""Pure decisions about importing a version again."""

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar


class Layered(Protocol):
    """A version and what it is layered over."""

    id: str
    base_id: str | None


_Version = TypeVar("_Version", bound=Layered)


def above(versions: Iterable[_Version], version_id: str) -> Iterator[_Version]:
    """Give the deltas over a version, and those over them, each after its base."""
    deltas = [version for version in versions if version.base_id]
    ahead = [version_id]
    while ahead:
        base = ahead.pop()
        for delta in deltas:
            if delta.base_id == base:
                yield delta
                ahead.append(delta.id)
