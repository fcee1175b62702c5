"""Pure decisions about tags: the result of a change, how it affects the sources of games, and cursors."""

from collections.abc import Mapping

from msgspec import UNSET

from playdock.features.tags.schemas import TagChanges
from playdock.kit.texts import normalize, one_line
from playdock.metadata.game_metadata import TagFact
from playdock.metadata.providers import MANUAL

_FIELD = "tags"


def apply_changes(tag: TagFact, changes: TagChanges) -> TagFact:
    """Return the tag with the given fields replaced."""
    kind = tag.kind if changes.kind is UNSET else changes.kind
    return TagFact(kind, tag.name if changes.name is UNSET else one_line(changes.name))


def is_same(tag: TagFact, other: TagFact) -> bool:
    """Return whether two tags have the same kind and, ignoring case, the same name."""
    return (tag.kind, normalize(tag.name)) == (other.kind, normalize(other.name))


def with_manual_tags(sources: Mapping[str, str]) -> dict[str, str]:
    """Return a game's sources by field, with its tags marked as manually edited."""
    return {**sources, _FIELD: MANUAL}


def cursor(kind: str, normalized_name: str) -> str:
    """Return the cursor of the page after a tag."""
    return f"{kind}:{normalized_name}"


def parse_cursor(after: str) -> tuple[str, str]:
    """Return the kind and the normalized name of a cursor; both are empty for the first page."""
    kind, _, normalized_name = after.partition(":")
    return kind, normalized_name
