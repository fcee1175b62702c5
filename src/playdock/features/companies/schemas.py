"""Companies on the wire."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.features.companies.queries import Counted, Described
from playdock.kit.bodies import Answer, Body, Query
from playdock.kit.clock import timestamp
from playdock.kit.texts import SPACE, Name
from playdock.models import Game

Description = Annotated[str, Meta(max_length=10_000, description="Markdown of at most 10,000 characters.")]
Website = Annotated[
    str,
    Meta(
        pattern=rf"^(https?://[^{SPACE}]+)?$(?!\n)",
        max_length=2048,
        description="A website is empty, or begins with https:// or http:// and has at most 2,048 characters.",
        examples=["https://supertuxkart.example.org"],
    ),
]


class CompanyQuery(Query):
    """Which companies are wanted."""

    q: Annotated[str, Meta(max_length=256, description="A part of the name, in any case; at most 256 characters.")] = ""
    limit: Annotated[int, Meta(ge=1, le=100, description="How many companies to give at most.")] = 50
    after: Annotated[str, Meta(max_length=4096, description="The `next` of the page before, with the same `q`.")] = ""


class CompanyDraft(Body):
    """A company that is to be."""

    name: Name
    description: Description = ""
    website: Website = ""


class CompanyChanges(Body):
    """What is to change; what is left out stays."""

    name: Name | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    website: Website | UnsetType = UNSET


class CompanyMerge(Body):
    """The company that gets the games of another one, which goes."""

    into: Annotated[str, Meta(max_length=64, description="The id of the company that stays.")]


class CompanyAnswer(Answer):
    """A company, and how many games it made or published."""

    id: str
    name: str
    website: str
    games: int
    created: str

    @classmethod
    def of(cls, counted: Counted) -> "CompanyAnswer":
        row = counted.company
        return CompanyAnswer(
            id=row.id, name=row.name, website=row.website, games=counted.games, created=timestamp(row.created)
        )


class CompanyPage(Answer):
    """Some companies by name, how many there are in all, and where the next page begins, null if this is the last."""

    companies: list[CompanyAnswer]
    total: int
    next: str | None


class GameName(Answer):
    """A game that a company made or published."""

    id: str
    name: str

    @classmethod
    def of(cls, row: Game) -> "GameName":
        return cls(id=row.id, name=row.name)


class CompanyDetails(CompanyAnswer):
    """All there is to know of a company; `description` is Markdown."""

    description: str
    developed: list[GameName]
    published: list[GameName]

    @classmethod
    def with_games(cls, described: Described) -> "CompanyDetails":
        row = described.company
        return cls(
            id=row.id,
            name=row.name,
            website=row.website,
            games=described.games,
            created=timestamp(row.created),
            description=row.description,
            developed=[GameName.of(each) for each in described.developed],
            published=[GameName.of(each) for each in described.published],
        )
