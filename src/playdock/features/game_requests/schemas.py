"""Wire types of requests for games."""

from typing import Annotated, Literal

from msgspec import Meta

from playdock.domain.game_requests.queries import ListedRequest
from playdock.domain.game_requests.rules import RequestStatus
from playdock.features.game_requests.rules import RequestList
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import GameTitle, Id, Offset, Timestamp
from playdock.kit.texts import Name

MAX_LISTED = 200
_Icon = Annotated[str, Meta(description="The URL of an image, empty without one.", examples=[""])]
_Year = Annotated[int, Meta(description="The year of its release, 0 if unknown.", examples=[2006])]


class RequestedMetadata(RequestBody):
    """A game at a metadata provider."""

    source_id: Annotated[str, Meta(max_length=64, description="The provider's id.", examples=["Steam"])]
    id: Annotated[
        str, Meta(min_length=1, max_length=256, description="The provider's id of the game.", examples=["620"])
    ]


class GameRequestCreate(RequestBody):
    """A game to request: a search result, or only its name."""

    name: Annotated[Name, Meta(examples=["SuperTuxKart"])]
    metadata: RequestedMetadata | None = None


class GameRequestAnswer(RequestBody):
    """The answer to a request. `libraryId` and `path` name a folder with the game, which may be imported already."""

    status: Literal["open", "accepted", "declined"]
    comment: Annotated[str, Meta(max_length=1000, description="A comment for the players.", examples=["Soon."])] = ""
    library_id: Annotated[Id, Meta(max_length=64)] | None = None
    path: Annotated[str, Meta(max_length=4096, examples=["SuperTuxKart"])] | None = None


class GameRequestsQuery(Query):
    """Which requests to return."""

    status: RequestList = RequestList.WAITING
    offset: Offset = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_LISTED)] = 50


class GameSearchQuery(Query):
    """The name of a game."""

    q: Annotated[str, Meta(pattern=r"\S", max_length=256, description="The text to search for: 1 to 256 characters.")]


class GameRequestResponse(ResponseBody):
    """A request for a game: who wants it, and what has become of it.

    `requester` is who asked for it first, for administrators only. `libraryId` and `path` are for them too.
    """

    id: Id
    name: GameTitle
    year: _Year
    source_id: Annotated[str, Meta(examples=["Steam"])] | None
    metadata_id: Annotated[str, Meta(examples=["620"])] | None
    icon: _Icon
    status: RequestStatus
    comment: Annotated[str, Meta(examples=["Soon."])]
    votes: Annotated[int, Meta(examples=[3])]
    voted: Annotated[bool, Meta(description="Whether you want it too.", examples=[True])]
    own: Annotated[bool, Meta(description="Whether you asked for it first.", examples=[False])]
    game_id: Id | None
    created: Timestamp
    answered: Timestamp | None
    requester: Annotated[str, Meta(examples=["Ada"])] | None
    library_id: Id | None
    path: Annotated[str, Meta(examples=["SuperTuxKart"])] | None

    @classmethod
    def of(cls, listed: ListedRequest, *, user_id: str, admin: bool) -> "GameRequestResponse":
        request = listed.request
        return cls(
            id=request.id,
            name=request.name,
            year=request.year,
            source_id=request.source_id,
            metadata_id=request.metadata_id,
            icon=request.icon,
            status=RequestStatus(request.status),
            comment=request.comment,
            votes=listed.votes,
            voted=listed.voted,
            own=request.user_id == user_id,
            game_id=request.game_id,
            created=timestamp(request.created),
            answered=timestamp(request.answered) if request.answered else None,
            requester=listed.requester if admin else None,
            library_id=request.library_id if admin else None,
            path=request.path if admin else None,
        )


class GameRequestPage(ResponseBody):
    """Some of the requests, and how many there are of each kind."""

    requests: list[GameRequestResponse]
    open: Annotated[int, Meta(description="Of those that are waiting, how many are not answered.", examples=[1])]
    waiting: Annotated[int, Meta(examples=[4])]
    ended: Annotated[int, Meta(examples=[12])]


class RequestableGame(ResponseBody):
    """A game at a provider; `gameId` if the store has it, and `request` if it is requested."""

    source_id: Annotated[str, Meta(examples=["Steam"])]
    source_name: Annotated[str, Meta(examples=["Steam"])]
    id: Annotated[str, Meta(examples=["620"])]
    name: GameTitle
    description: Annotated[str, Meta(examples=["Karts. Nitro. Action!"])]
    icon: _Icon
    year: _Year
    game_id: Id | None
    request_id: Id | None
    request_status: RequestStatus | None


class RequestableGames(ResponseBody):
    """The games that a search has found, and whether there are providers to search.

    `named` is the id of a game in the store with exactly the name that was searched for.
    """

    searchable: Annotated[bool, Meta(examples=[True])]
    named: Id | None
    games: list[RequestableGame]
