"""Pure decisions about what is told of a game: which fields are taken from whom."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from playdock.content.naming import sort_name
from playdock.metadata.facts import GameFacts, RatingFact, Role
from playdock.metadata.providers import MANUAL, Reference

FOLDER = "Folder"
_WEIGHT_WITHOUT_COUNT = 1.0
_MOST_WEIGHT = 1000.0


class Field(StrEnum):
    """What is told of a game and has a source of its own."""

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

_TOLD: dict[Field, str] = {
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


@dataclass(frozen=True, slots=True)
class Edited:
    """What an administrator says of a game: some fields, and the ids of the pictures to show in some roles."""

    facts: GameFacts
    fields: Collection[Field]
    shown: Mapping[Role, Sequence[str]]


def reference_of(choice: Mapping[str, str] | None) -> Reference | None:
    """Read which metadata was chosen, as tasks and runs keep it."""
    return Reference(choice["sourceId"], choice["id"], choice["name"]) if choice else None


def told(facts: GameFacts) -> set[Field]:
    """Give the fields that a provider says something about."""
    return {field for field, name in _TOLD.items() if getattr(facts, name)}


def open_fields(sources: Mapping[str, str], *, overwrite: Collection[str] = ()) -> set[Field]:
    """Give the fields that a provider may fill: all but those that an administrator wrote and does not give up."""
    return {field for field in Field if sources.get(field) != MANUAL or field in overwrite}


def columns(facts: GameFacts, fields: Iterable[Field]) -> dict[str, Any]:
    """Give the columns of the game that some fields fill; companies, tags and pictures have tables of their own."""
    values: dict[str, Any] = {}
    for field in _COLUMNS.keys() & set(fields):
        values |= _COLUMNS[field](facts)
    return values


def _released(facts: GameFacts) -> dict[str, Any]:
    day, precision = (facts.released.date, facts.released.precision.value) if facts.released else (None, None)
    return {"released": day, "release_precision": precision}


_COLUMNS: dict[Field, Callable[[GameFacts], dict[str, Any]]] = {
    Field.NAME: lambda facts: {"name": facts.name, "sort_name": sort_name(facts.name)},
    Field.SHORT_DESCRIPTION: lambda facts: {"short_description": facts.short},
    Field.DESCRIPTION: lambda facts: {"description": facts.description},
    Field.RELEASED: _released,
    Field.RATINGS: lambda facts: {"ratings": _plain(facts.ratings), "rating": mean(facts.ratings)},
    Field.AGE_RATINGS: lambda facts: {"age_ratings": _plain(facts.age_ratings)},
    Field.WEBSITES: lambda facts: {"websites": _plain(facts.websites)},
}


def mean(ratings: Collection[RatingFact]) -> float | None:
    """Give what the ratings say together, weighted by how many said so; a very large crowd counts as a thousand."""
    if not ratings:
        return None
    weights = [min(float(each.count or _WEIGHT_WITHOUT_COUNT), _MOST_WEIGHT) for each in ratings]
    return round(sum(each.score * weight for each, weight in zip(ratings, weights, strict=True)) / sum(weights), 4)


def _plain(facts: Any) -> Any:
    return msgspec.to_builtins(facts)
