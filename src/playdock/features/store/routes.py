"""``/api/v1/store`` and ``/api/v1/games/{id}``: browsing games."""

from litestar import Response

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import GameUnknown
from playdock.features.store.schemas import CompanyInUse, GameCard, GamePage, StorePage, StoreQuery, TagInUse
from playdock.features.store.service import Store
from playdock.server.conditional import validated_json
from playdock.server.routing import AnyRequest, get


@get("/api/v1/store", requires=Permission.STORE_READ, response_type=StorePage, with_head=True)
def list_games(request: AnyRequest, query: StoreQuery, actor: Actor, store: Store) -> Response[bytes]:
    """List the games of the store: search, filter, sort, with pagination."""
    listing = store.listing(actor, query)
    games = [GameCard.of(card) for card in listing.cards]
    return validated_json(request, StorePage(games=games, total=listing.total, next=listing.next))


@get("/api/v1/store/featured", requires=Permission.STORE_READ, response_type=list[GameCard], with_head=True)
def list_featured_games(request: AnyRequest, actor: Actor, store: Store) -> Response[bytes]:
    """List the featured games, newest first."""
    return validated_json(request, [GameCard.of(card) for card in store.featured(actor)])


@get("/api/v1/store/tags", requires=Permission.STORE_READ, response_type=list[TagInUse], with_head=True)
def list_tags_in_use(request: AnyRequest, actor: Actor, store: Store) -> Response[bytes]:
    """List the tags in use: for each kind the 50 tags with the most games, most used first."""
    return validated_json(request, [TagInUse.with_count(use) for use in store.tags(actor)])


@get("/api/v1/store/companies", requires=Permission.STORE_READ, response_type=list[CompanyInUse], with_head=True)
def list_companies_in_use(request: AnyRequest, actor: Actor, store: Store) -> Response[bytes]:
    """List the 100 companies with the most games, most games first."""
    return validated_json(request, [CompanyInUse.with_count(use) for use in store.companies(actor)])


@get(
    "/api/v1/games/{game_id:str}",
    requires=Permission.STORE_READ,
    raises=[GameUnknown],
    response_type=GamePage,
    with_head=True,
)
def show_game(request: AnyRequest, game_id: str, actor: Actor, store: Store) -> Response[bytes]:
    """Return everything about a game."""
    return validated_json(request, GamePage.of(store.page(actor, game_id)))


ROUTES = (list_games, list_featured_games, list_tags_in_use, list_companies_in_use, show_game)
