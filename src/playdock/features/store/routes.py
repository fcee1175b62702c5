"""``/api/v1/store`` and ``/api/v1/games/{id}``: what players see of the games."""

from typing import Any

import msgspec
from blake3 import blake3
from litestar import Response

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.games.errors import GameUnknown
from playdock.features.store.schemas import CompanyInUse, GameCard, GamePage, StorePage, StoreQuery, TagInUse
from playdock.features.store.service import Store
from playdock.http.routing import AnyRequest, get
from playdock.kit.codings import Coding, choose_coding, coded, headers_of
from playdock.kit.conditions import is_unchanged

_WORTH_PACKING = 1024


@get("/api/v1/store", needs=Acl.STORE_READ, answer=StorePage, with_head=True)
def list_games(request: AnyRequest, wanted: StoreQuery, actor: Actor, store: Store) -> Response[bytes]:
    """List the games of the store: searched, filtered, sorted, page by page."""
    listing = store.listing(actor, wanted)
    games = [GameCard.of(card) for card in listing.cards]
    return _validated(request, StorePage(games=games, total=listing.total, next=listing.next))


@get("/api/v1/store/featured", needs=Acl.STORE_READ, answer=list[GameCard], with_head=True)
def list_featured_games(request: AnyRequest, actor: Actor, store: Store) -> Response[bytes]:
    """List the games that are featured, newest first."""
    return _validated(request, [GameCard.of(card) for card in store.featured(actor)])


@get("/api/v1/store/tags", needs=Acl.STORE_READ, answer=list[TagInUse], with_head=True)
def list_tags_in_use(request: AnyRequest, actor: Actor, store: Store) -> Response[bytes]:
    """List the tags that games have, kind by kind: of each the fifty that most games have, the most used first."""
    return _validated(request, [TagInUse.counted(each) for each in store.tags(actor)])


@get("/api/v1/store/companies", needs=Acl.STORE_READ, answer=list[CompanyInUse], with_head=True)
def list_companies_in_use(request: AnyRequest, actor: Actor, store: Store) -> Response[bytes]:
    """List the hundred companies that made or published most games, the busiest first."""
    return _validated(request, [CompanyInUse.counted(each) for each in store.companies(actor)])


@get("/api/v1/games/{game_id:str}", needs=Acl.STORE_READ, raises=[GameUnknown], answer=GamePage, with_head=True)
def show_game(request: AnyRequest, game_id: str, actor: Actor, store: Store) -> Response[bytes]:
    """Show all there is to know of a game."""
    return _validated(request, GamePage.of(store.page(actor, game_id)))


def _validated(request: AnyRequest, answer: Any) -> Response[bytes]:
    """Answer with an ETag, and packed: pages repeat long lists of pictures, and ask for them again and again."""
    body = msgspec.json.encode(answer)
    takes = choose_coding(request.headers.get("accept-encoding"))
    coding = takes if len(body) >= _WORTH_PACKING else Coding.IDENTITY
    etag = f"{blake3(body).hexdigest()}-{coding}"
    headers = {"ETag": f'"{etag}"', "Cache-Control": "private, no-cache", **headers_of(coding)}
    if is_unchanged(request.headers.get("if-none-match"), etag):
        return Response(b"", status_code=304, headers=headers)
    return Response(coded(body, coding), headers=headers, media_type="application/json")


ROUTES = (list_games, list_featured_games, list_tags_in_use, list_companies_in_use, show_game)
