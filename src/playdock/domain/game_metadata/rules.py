"""Pure decisions about metadata: which fields are taken from which source."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

from playdock import stored
from playdock.content.naming import sort_name
from playdock.metadata.game_metadata import GameMetadata, RatingFact, Role
from playdock.metadata.providers import MANUAL, Reference
from playdock.stored import MetadataReference, StoredAgeRating, StoredRating, StoredWebsite

# The source of a name derived from the game's folder.
FOLDER = "Folder"
# A rating without a known number of votes weighs as much as a single vote.
_WEIGHT_WITHOUT_COUNT = 1.0
# Above this many votes a mean hardly changes any more, and one large site must not outvote all others.
_MAX_WEIGHT = 1000.0


class Field(StrEnum):
    """A metadata field that has its own source."""

    NAME = "name"
    SHORT_DESCRIPTION = "shortDescription"
    DESCRIPTION = "description"
    RELEASED = "released"
    DEVELOPERS = "developers"
    PUBLISHERS = "publishers"
    TAGS = "tags"
    RATINGS = "ratings"
    AGE_RATINGS = "ageRatings"
    WEBSITES = "websites"
    COVER = "cover"
    BANNER = "banner"
    ICON = "icon"
    LOGO = "logo"
    CAROUSEL = "carousel"


PICTURES = {Role(field.value): field for field in (Field.COVER, Field.BANNER, Field.ICON, Field.LOGO, Field.CAROUSEL)}

_ATTRIBUTES: dict[Field, str] = {
    Field.NAME: "name",
    Field.SHORT_DESCRIPTION: "short",
    Field.DESCRIPTION: "description",
    Field.RELEASED: "released",
    Field.DEVELOPERS: "developers",
    Field.PUBLISHERS: "publishers",
    Field.TAGS: "tags",
    Field.RATINGS: "ratings",
    Field.AGE_RATINGS: "age_ratings",
    Field.WEBSITES: "websites",
}


class MetadataEdit(Struct, frozen=True):
    """An administrator's edit: some fields, and the ids of the pictures to show in some roles."""

    facts: GameMetadata
    fields: Collection[Field]
    shown: Mapping[Role, Sequence[str]]


def reference_of(choice: MetadataReference | None) -> Reference | None:
    """Return the chosen metadata, as stored with tasks and runs."""
    return Reference(choice.source_id, choice.id, choice.name) if choice else None


def available_fields(facts: GameMetadata) -> set[Field]:
    """Return the fields for which a provider has a value."""
    return {field for field, name in _ATTRIBUTES.items() if getattr(facts, name)}


def open_fields(sources: Mapping[str, str], *, overwrite: Collection[str] = ()) -> set[Field]:
    """Return the fields that a provider may fill: all except manually edited ones that are not to be overwritten."""
    return {field for field in Field if sources.get(field) != MANUAL or field in overwrite}


def columns(facts: GameMetadata, fields: Iterable[Field]) -> dict[str, Any]:
    """Return the game's columns for some fields; companies, tags and pictures have their own tables."""
    values: dict[str, Any] = {}
    for field in _COLUMNS.keys() & set(fields):
        values |= _COLUMNS[field](facts)
    return values


def _released(facts: GameMetadata) -> dict[str, Any]:
    day, precision = (facts.released.date, facts.released.precision.value) if facts.released else (None, None)
    return {"released": day, "release_precision": precision}


def _stored_ratings(facts: GameMetadata) -> list[dict[str, Any]]:
    rows = (StoredRating(source=row.source, score=row.score, count=row.count, url=row.url) for row in facts.ratings)
    return stored.encode_list(rows)


def _stored_age_ratings(facts: GameMetadata) -> list[dict[str, Any]]:
    rows = (
        StoredAgeRating(board=row.board, value=row.value, descriptors=tuple(row.descriptors))
        for row in facts.age_ratings
    )
    return stored.encode_list(rows)


def _stored_websites(facts: GameMetadata) -> list[dict[str, Any]]:
    return stored.encode_list(StoredWebsite(kind=row.kind, url=row.url) for row in facts.websites)


_COLUMNS: dict[Field, Callable[[GameMetadata], dict[str, Any]]] = {
    Field.NAME: lambda facts: {"name": facts.name, "sort_name": sort_name(facts.name)},
    Field.SHORT_DESCRIPTION: lambda facts: {"short_description": facts.short},
    Field.DESCRIPTION: lambda facts: {"description": facts.description},
    Field.RELEASED: _released,
    Field.RATINGS: lambda facts: {"ratings": _stored_ratings(facts), "rating": mean(facts.ratings)},
    Field.AGE_RATINGS: lambda facts: {"age_ratings": _stored_age_ratings(facts)},
    Field.WEBSITES: lambda facts: {"websites": _stored_websites(facts)},
}


def mean(ratings: Collection[RatingFact]) -> float | None:
    """Return the mean of the ratings, weighted by their number of votes, or None if there are none."""
    if not ratings:
        return None
    weights = [min(float(each.count or _WEIGHT_WITHOUT_COUNT), _MAX_WEIGHT) for each in ratings]
    return round(sum(each.score * weight for each, weight in zip(ratings, weights, strict=True)) / sum(weights), 4)
