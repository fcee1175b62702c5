"""``/api/v1/feeds``: the library feed for other programs."""

from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from litestar import Response
from msgspec import Meta

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import GameUnknown
from playdock.features.feeds import rules
from playdock.features.feeds.errors import NoVersionForLutris
from playdock.features.feeds.schemas import (
    FEED_VERSION,
    FeedGame,
    FeedLinks,
    FeedQuery,
    LibraryFeed,
    LutrisQuery,
    LutrisSource,
    PlayniteGame,
    game_of,
)
from playdock.features.feeds.service import Feeds
from playdock.server.conditional import validated, validated_json
from playdock.server.link_address import link_address
from playdock.server.routing import AnyRequest, get
from playdock.settings import Settings

_LISTING = (Permission.STORE_READ, Permission.COLLECTIONS_READ)
_ONE = "/api/v1/feeds/games/{game_id:str}"
_YAML = "application/yaml"
_Script = Annotated[dict[str, Any], Meta(examples=[{"name": "SuperTuxKart", "runner": "linux"}])]


@get("/api/v1/feeds/library", requires=_LISTING, response_type=LibraryFeed, with_head=True)
def read_library_feed(
    request: AnyRequest, query: FeedQuery, actor: Actor, feeds: Feeds, settings: Settings
) -> Response[bytes]:
    """List games by name, with all that other programs need to show, install and launch them."""
    listing, links = feeds.listing(actor, query), _links(request, settings)
    games = [game_of(each, links) for each in listing.games]
    page = LibraryFeed(version=FEED_VERSION, games=games, total=listing.total, next=listing.next)
    return validated_json(request, page)


@get(_ONE, requires=Permission.STORE_READ, raises=[GameUnknown], response_type=FeedGame, with_head=True)
def read_game_feed(
    request: AnyRequest, game_id: str, actor: Actor, feeds: Feeds, settings: Settings
) -> Response[bytes]:
    """Return a game as the feed lists it."""
    return validated_json(request, game_of(feeds.game(actor, game_id), _links(request, settings)))


@get(
    f"{_ONE}/lutris",
    requires=Permission.STORE_READ,
    raises=[GameUnknown, NoVersionForLutris],
    response_type=_Script,
    media_type=_YAML,
    with_head=True,
)
def read_lutris_script(
    request: AnyRequest, game_id: str, query: LutrisQuery, actor: Actor, *, feeds: Feeds, settings: Settings
) -> Response[bytes]:
    """Return an installer script for Lutris: `lutris -i FILE` installs the game."""
    links = _links(request, settings)
    game = game_of(feeds.game(actor, game_id), links)
    version = rules.version_for_lutris(game.versions, query.version)
    if version is None:
        raise NoVersionForLutris
    script = rules.lutris_script(game, version, query.source or LutrisSource.ARCHIVE, server=links.server)
    return validated(request, script.encode(), media_type=_YAML)


@get(
    f"{_ONE}/playnite", requires=Permission.STORE_READ, raises=[GameUnknown], response_type=PlayniteGame, with_head=True
)
def read_playnite_game(
    request: AnyRequest, game_id: str, actor: Actor, feeds: Feeds, settings: Settings
) -> Response[bytes]:
    """Return a game with the property names of Playnite, for its library plugins and scripts."""
    game = game_of(feeds.game(actor, game_id), _links(request, settings))
    return validated(request, msgspec.json.encode(rules.playnite_game(game)), media_type="application/json")


def _links(request: AnyRequest, settings: Settings) -> FeedLinks:
    server = link_address(request, settings)
    return FeedLinks(server, f"playdock://install/{quote(server, safe='')}")


ROUTES = (read_library_feed, read_game_feed, read_lutris_script, read_playnite_game)
