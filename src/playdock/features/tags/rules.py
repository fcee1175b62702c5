"""Pure decisions about tags: the result of a change, how it affects the sources of games, and cursors."""

from collections.abc import Mapping, Sequence

from msgspec import UNSET

from playdock.domain.tags.queries import ListedTag
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


def cursor(tag: ListedTag) -> str:
    """Return the cursor of the page after a tag."""
    return f"{tag.kind}:{tag.name}"


def after_cursor(tags: Sequence[ListedTag], after: str) -> Sequence[ListedTag]:
    """Return the tags after a cursor, all of them if it is empty."""
    kind, _, name = after.partition(":")
    return [tag for tag in tags if (tag.kind, tag.name) > (kind, name)]
