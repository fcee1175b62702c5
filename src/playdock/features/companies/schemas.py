"""Wire types of companies."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.domain.companies.queries import CompanyCount, CompanyWithGames
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import GameTitle, Id, Timestamp
from playdock.kit.texts import SPACE, Name
from playdock.models import Game

Description = Annotated[str, Meta(max_length=10_000, description="Markdown, at most 10,000 characters.")]
Website = Annotated[
    str,
    Meta(
        pattern=rf"^(https?://[^{SPACE}]+)?$(?!\n)",
        max_length=2048,
        description="A website is empty, or starts with https:// or http:// and has at most 2,048 characters.",
        examples=["https://supertuxkart.example.org"],
    ),
]


class CompanyQuery(Query):
    """The search and pagination parameters."""

    q: Annotated[
        str, Meta(max_length=256, description="Parts of the name, ignoring case and accents; at most 256 characters.")
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=100, description="The maximum number of companies to return.")] = 50
    after: Annotated[str, Meta(max_length=4096, description="The `next` of the previous page, with the same `q`.")] = ""


class CompanyCreate(RequestBody):
    """A company to add."""

    name: Annotated[Name, Meta(examples=["SuperTuxKart Team"])]
    description: Description = ""
    website: Website = ""


class CompanyChanges(RequestBody):
    """The fields to change. Omitted fields are unchanged."""

    name: Name | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    website: Website | UnsetType = UNSET


class CompanyMerge(RequestBody):
    """The company to merge into."""

    into: Annotated[
        str,
        Meta(
            max_length=64,
            description="The id of the company to keep.",
            examples=["9c0b5d7e-27a1-4a9b-8d2e-51f4c7e3aa10"],
        ),
    ]


class CompanyResponse(ResponseBody):
    """A company, and the number of games it developed or published."""

    id: Id
    name: Annotated[str, Meta(examples=["SuperTuxKart Team"])]
    website: Annotated[str, Meta(examples=["https://supertuxkart.example.org"])]
    games: Annotated[int, Meta(examples=[1])]
    created: Timestamp

    @classmethod
    def of(cls, count: CompanyCount) -> "CompanyResponse":
        row = count.company
        return CompanyResponse(
            id=row.id, name=row.name, website=row.website, games=count.games, created=timestamp(row.created)
        )


class CompanyPage(ResponseBody):
    """A page of companies by name, their total number, and the cursor of the next page, null on the last page."""

    companies: list[CompanyResponse]
    total: Annotated[int, Meta(examples=[312])]
    next: Annotated[str, Meta(examples=["supertuxkart team"])] | None


class GameName(ResponseBody):
    """A game that a company developed or published."""

    id: Id
    name: GameTitle

    @classmethod
    def of(cls, row: Game) -> "GameName":
        return cls(id=row.id, name=row.name)


class CompanyDetails(CompanyResponse):
    """A company with all its fields and games; `description` is Markdown."""

    description: Annotated[str, Meta(examples=["They made **SuperTuxKart**."])]
    developed: list[GameName]
    published: list[GameName]

    @classmethod
    def with_games(cls, company: CompanyWithGames) -> "CompanyDetails":
        row = company.company
        return cls(
            id=row.id,
            name=row.name,
            website=row.website,
            games=company.games,
            created=timestamp(row.created),
            description=row.description,
            developed=[GameName.of(game) for game in company.developed],
            published=[GameName.of(game) for game in company.published],
        )
