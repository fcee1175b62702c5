"""Pure decisions about tags: what a change makes of one, and what an administrator's word means for its games."""

from collections.abc import Mapping

from msgspec import UNSET

from playdock.features.tags.schemas import TagChanges
from playdock.kit.errors import Fault
from playdock.kit.folding import fold
from playdock.kit.texts import one_line
from playdock.metadata.facts import TagFact
from playdock.metadata.providers import MANUAL

_FIELD = "tags"


def changed(tag: TagFact, changes: TagChanges) -> TagFact:
    """Give a tag with what is given of it."""
    kind = tag.kind if changes.kind is UNSET else changes.kind
    return TagFact(kind, tag.name if changes.name is UNSET else one_line(changes.name))


def is_same(tag: TagFact, other: TagFact) -> bool:
    """Tell whether a provider that says the one means the other."""
    return (tag.kind, fold(tag.name)) == (other.kind, fold(other.name))


def decided(sources: Mapping[str, str]) -> dict[str, str]:
    """Give who says what of a game, once an administrator has decided on one of its tags."""
    return {**sources, _FIELD: MANUAL}


def unmergeable(tag_id: str, into: str) -> list[Fault]:
    """Say so where a tag is to be merged into itself."""
    return [Fault("into", "A tag cannot be merged into itself. Name another one.")] if into == tag_id else []
