"""``/api/v1/requests``: games that players want; ``/api/v1/admin/requests``: the answers."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.game_requests.queries import ListedRequest
from playdock.domain.game_requests.rules import RequestStatus, key_of
from playdock.domain.libraries.errors import LibraryUnknown
from playdock.features.game_requests.errors import (
    GameInStore,
    GameRequestUnknown,
    RequestedGameUnknown,
    TooManyGameRequests,
)
from playdock.features.game_requests.rules import STATUSES, RequestList
from playdock.features.game_requests.schemas import (
    GameRequestAnswer,
    GameRequestCreate,
    GameRequestPage,
    GameRequestResponse,
    GameRequestsQuery,
    GameSearchQuery,
    RequestableGame,
    RequestableGames,
)
from playdock.features.game_requests.service import FoundGames, GameRequests
from playdock.metadata.providers import Match
from playdock.server.request_rate import TooManyRequests
from playdock.server.routing import delete, get, post, put

_ALL = "/api/v1/requests"
_VOTE = f"{_ALL}/{{request_id:str}}/vote"
_ADMIN = "/api/v1/admin/requests/{request_id:str}"


@get(_ALL, requires=Permission.REQUEST_READ)
def list_game_requests(query: GameRequestsQuery, actor: Actor, requests: GameRequests) -> GameRequestPage:
    """List the requested games, those that most players want first."""
    found, counts = requests.page(actor, query.status, offset=query.offset, limit=query.limit)
    return GameRequestPage(
        requests=[_response(each, actor) for each in found],
        open=counts[RequestStatus.OPEN],
        waiting=sum(counts[each] for each in STATUSES[RequestList.WAITING]),
        ended=sum(counts[each] for each in STATUSES[RequestList.ENDED]),
    )


@get(f"{_ALL}/search", requires=Permission.REQUEST_NEW, raises=[TooManyRequests])
def search_requestable_games(query: GameSearchQuery, actor: Actor, requests: GameRequests) -> RequestableGames:
    """Look for a game to request at all metadata providers, the likeliest first."""
    found = requests.search(actor, query.q)
    games = [_requestable(match, found) for match in found.matches]
    return RequestableGames(searchable=found.searchable, named=found.named, games=games)


@post(
    _ALL,
    requires=Permission.REQUEST_NEW,
    status=201,
    raises=[GameInStore, TooManyGameRequests, RequestedGameUnknown],
)
def request_game(data: GameRequestCreate, actor: Actor, requests: GameRequests) -> GameRequestResponse:
    """Request a game, or vote for the request if there is one. Its name is that of the provider."""
    return _response(requests.create(actor, data), actor)


@put(_VOTE, requires=Permission.REQUEST_NEW, raises=[GameRequestUnknown])
def vote_for_game(request_id: str, actor: Actor, requests: GameRequests) -> GameRequestResponse:
    """Vote for a requested game. You are notified of the answer."""
    return _response(requests.vote(actor, request_id), actor)


@delete(_VOTE, requires=Permission.REQUEST_NEW, raises=[GameRequestUnknown])
def withdraw_vote(request_id: str, actor: Actor, requests: GameRequests) -> None:
    """Remove your vote. An open request without votes is deleted."""
    requests.withdraw(actor, request_id)


@post(f"{_ADMIN}/answer", requires=Permission.REQUEST_UPDATE, raises=[GameRequestUnknown, LibraryUnknown])
def answer_game_request(
    request_id: str, data: GameRequestAnswer, actor: Actor, requests: GameRequests
) -> GameRequestResponse:
    """Accept or decline a request, or open it again. Importing the game sets it to done."""
    return _response(requests.answer(actor, request_id, data), actor)


@delete(_ADMIN, requires=Permission.REQUEST_UPDATE, raises=[GameRequestUnknown])
def delete_game_request(request_id: str, actor: Actor, requests: GameRequests) -> None:
    """Delete a request with its votes."""
    requests.delete(actor, request_id)


def _response(listed: ListedRequest, actor: Actor) -> GameRequestResponse:
    return GameRequestResponse.of(listed, user_id=actor.user.id, admin=actor.may(Permission.REQUEST_UPDATE))


def _requestable(match: Match, found: FoundGames) -> RequestableGame:
    source_id, game_id = match.reference.source_id, match.reference.id
    request = found.requests.get(key_of("", source_id=source_id, metadata_id=game_id))
    return RequestableGame(
        source_id=source_id,
        source_name=match.source_name,
        id=game_id,
        name=match.reference.name,
        description=match.description,
        icon=match.icon,
        year=match.year,
        game_id=found.games.get((source_id, game_id)),
        request_id=request.id if request else None,
        request_status=RequestStatus(request.status) if request else None,
    )


ROUTES = (
    list_game_requests,
    search_requestable_games,
    request_game,
    vote_for_game,
    withdraw_vote,
    answer_game_request,
    delete_game_request,
)
