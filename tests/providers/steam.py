"""A stand-in for Steam: the services of its store, the searches of community and store, and pictures.

It knows no console games. Prey of 2006 is no longer sold, so the store search does not find it.
"""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import sha1
from html import escape
from typing import Any

from providers.games import PC_GAMES, Game, Kind, called
from providers.pictures import picture
from providers.standin import Answer, RecordedRequest, StandIn, html, json_answer, status

_TYPES = {Kind.GAME: 0, Kind.DEMO: 1, Kind.DLC: 4, Kind.SOUNDTRACK: 11}
_WORDS = {
    "Role-playing": "RPG",
    "Platform": "Platformer",
    "Science fiction": "Sci-fi",
    "Single player": "Singleplayer",
    "Co-operative": "Co-op",
    "Third person": "Third Person",
    "Side view": "Side Scroller",
    "Bird's eye view": "Top-Down",
}
_SIZES = {
    "library_600x900": (300, 450),
    "library_600x900_2x": (600, 900),
    "library_hero": (1920, 620),
    "library_hero_2x": (3840, 1240),
    "logo": (640, 360),
    "header": (460, 215),
}
_MAX_IDS = 200
_NOT_THERE = 15


# What publishers announced, the newest first: title, contents and tags.
ANNOUNCEMENTS: tuple[tuple[str, str, list[str]], ...] = (
    ("Version 1.6.3 is out", "[h2]New[/h2]\n[list][*]A [b]farm[/b][/list][img]{STEAM_CLAN_IMAGE}/1.png[/img]", []),
    ("Weekend sale", "Everything is cheaper.", []),
    ("1.6.3 Patch notes", "[list][*]Fixed a crash[/list]", ["patchnotes"]),
    ("Hotfix 1.6.15", "Fixed.", ["patchnotes"]),
    ("<script>alert(1)</script> 1.5.0", "[url=javascript:alert(1)]here[/url] <script>alert(1)</script>", []),
)


def tag_names(game: Game) -> list[str]:
    """Return the Steam tags of a game by descending weight."""
    found = (*game.genres, *game.themes, *game.modes, game.perspective, "Cult Classic")
    return [_WORDS.get(word, word) for word in found if word]


TAGS = sorted({name for game in PC_GAMES for name in tag_names(game)})


class SteamStandIn(StandIn):
    """The services (/api), community (/community), store (/store), pictures (/images) and icons (/icons)."""

    @property
    def settings(self) -> dict[str, str]:
        return {
            "steam_api_url": f"{self.address}/api",
            "steam_community_url": f"{self.address}/community",
            "steam_store_url": f"{self.address}/store",
            "steam_image_url": f"{self.address}/images",
            "steam_icon_url": f"{self.address}/icons",
        }

    def respond(self, request: RecordedRequest) -> Answer:
        match request.path:
            case "/api/IStoreBrowseService/GetItems/v1/":
                return _served(request, self._items)
            case "/api/IStoreService/GetTagList/v1/":
                return _served(request, self._tags)
            case "/api/ISteamNews/GetNewsForApp/v2/":
                return self._news(request.query)
            case "/store/api/storesearch/":
                return self._store_search(request.query)
        if (name := request.under("/community/actions/SearchApps/")) is not None:
            return json_answer([self._listed(game) for game in called(name) if game.on_pc][:10])
        return _picture(request.path)

    def _store_search(self, query: Mapping[str, str]) -> Answer:
        if not query.get("term") or query.get("cc") != "us" or query.get("l") != "english":
            return html(400)
        found = [game for game in called(query["term"]) if game.on_pc and not _withdrawn(game)][:10]
        bundle = {"type": "bundle", "name": f"{query['term']} and more", "id": 232, "tiny_image": "", "platforms": {}}
        items = [*map(self._store_item, found), bundle] if found else []
        return json_answer({"total": len(items), "items": items})

    def _store_item(self, game: Game) -> dict[str, Any]:
        platforms = _platforms(game)
        return {
            "type": "app",
            "name": game.name,
            "id": game.steam_id,
            "price": {"currency": "USD", "initial": 999, "final": 999},
            "tiny_image": f"{self.address}/images/steam/apps/{game.steam_id}/{_place(game, 'header.jpg')}?t=1700000000",
            "metascore": "",
            "platforms": {**platforms, "linux": platforms["steamos_linux"]},
        }

    def _items(self, query: Mapping[str, str]) -> dict[str, Any]:
        requested = json.loads(query["input_json"])
        ids = [int(each["appid"]) for each in requested["ids"]]
        if len(ids) > _MAX_IDS or not requested["context"]["country_code"]:
            raise ValueError(ids)
        games = {game.steam_id: game for game in PC_GAMES}
        items = [_item(games[each], requested["data_request"]) if each in games else _missing(each) for each in ids]
        return {"store_items": items} if items else {}

    def _news(self, query: Mapping[str, str]) -> Answer:
        """Answer with what the publisher announced, as Steam does: 403 for an id that is no game."""
        games = [game for game in PC_GAMES if str(game.steam_id) == query.get("appid")]
        if not games or query.get("feeds") != "steam_community_announcements" or not query.get("count", "").isdigit():
            return html(403)
        items = [_announcement(games[0], number, each) for number, each in enumerate(ANNOUNCEMENTS)]
        news = {"appid": games[0].steam_id, "newsitems": items[: int(query["count"])], "count": len(items)}
        return json_answer({"appnews": news})

    def _tags(self, query: Mapping[str, str]) -> dict[str, Any]:
        if query["language"] != "english":
            raise ValueError(query)
        return {"version_hash": "1", "tags": [{"tagid": TAGS.index(name) + 1, "name": name} for name in TAGS]}

    def _listed(self, game: Game) -> dict[str, str]:
        icon = f"{self.address}/icons/{game.steam_id}/{_hash(game, 'icon')}.jpg"
        return {"appid": str(game.steam_id), "name": game.name, "icon": icon, "logo": ""}


def _announcement(game: Game, number: int, announced: tuple[str, str, list[str]]) -> dict[str, Any]:
    title, contents, tags = announced
    url = f"https://store.steampowered.com/news/app/{game.steam_id}/view/{number}"
    item = {
        "gid": str(number),
        "title": title,
        "url": url,
        "is_external_url": True,
        "author": "Publisher",
        "contents": contents,
        "feedlabel": "Community Announcements",
        "date": 1_700_000_000 - number * 86400,
        "feedname": "steam_community_announcements",
        "feed_type": 1,
        "appid": game.steam_id,
    }
    return {**item, "tags": tags} if tags else item


def _served(request: RecordedRequest, service: Callable[[Mapping[str, str]], Any]) -> Answer:
    try:
        return json_answer({"response": service(request.query)})
    except (ValueError, KeyError, TypeError):
        return html(400)


def _missing(appid: int) -> dict[str, Any]:
    return {"item_type": 0, "id": appid, "success": _NOT_THERE, "visible": False, "name": "", "appid": appid}


def _item(game: Game, requested: dict[str, Any]) -> dict[str, Any]:
    """Return a StoreItem with its requested parts."""
    pieces: dict[str, dict[str, Any]] = {
        "include_basic_info": {"basic_info": _basic_info(game)},
        "include_release": {"release": _release(game)},
        "include_platforms": {"platforms": _platforms(game)},
        "include_assets": {"assets": _assets(game)},
        "include_screenshots": {"screenshots": _screenshots(game)},
        "include_reviews": {"reviews": _reviews(game)},
        "include_ratings": {"game_rating": _rating(game)} if game.esrb else {},
        "include_full_description": {"full_description": description(game)},
        "include_tag_count": {"tags": _weights(game)[: int(requested.get("include_tag_count", 0))]},
    }
    item: dict[str, Any] = {
        "item_type": 0,
        "id": game.steam_id,
        "success": 1,
        "visible": not _withdrawn(game),
        "name": game.name,
        "store_url_path": f"app/{game.steam_id}/{re.sub(r'[^A-Za-z0-9]+', '_', game.name)}",
        "appid": game.steam_id,
        "type": _TYPES[game.kind],
        "is_free": False,
    }
    for name, piece in pieces.items():
        item |= piece if requested.get(name) else {}
    return item


def _withdrawn(game: Game) -> bool:
    return (game.name, game.year) == ("Prey", 2006)


def _basic_info(game: Game) -> dict[str, Any]:
    return {
        "short_description": escape(game.summary),
        "publishers": [{"name": name, "creator_clan_account_id": 1} for name in game.publishers],
        "developers": [{"name": name} for name in game.developers],
    }


def _release(game: Game) -> dict[str, Any]:
    if game.day is None:
        december = int(datetime(game.year, 12, 31, tzinfo=UTC).timestamp())
        return {"steam_release_date": december, "is_coming_soon": True, "coming_soon_display": "date_year"}
    return {"steam_release_date": int(datetime(*game.day.timetuple()[:3], 17, tzinfo=UTC).timestamp())}


def _platforms(game: Game) -> dict[str, Any]:
    names = {machine.value for machine in game.machines}
    return {"windows": "Windows" in names, "mac": "macOS" in names, "steamos_linux": "Linux" in names}


def _assets(game: Game) -> dict[str, str]:
    """Return the names of the pictures; those of some games have folders of their own, as for all newer games."""
    return {
        "asset_url_format": f"steam/apps/{game.steam_id}/${{FILENAME}}?t=1700000000",
        "header": _place(game, "header.jpg"),
        "library_capsule": _place(game, "library_600x900.jpg"),
        "library_capsule_2x": _place(game, "library_600x900_2x.jpg"),
        "library_hero": _place(game, "library_hero.jpg"),
        "library_hero_2x": _place(game, "library_hero_2x.jpg"),
        "community_icon": _hash(game, "icon"),
    }


def _place(game: Game, name: str) -> str:
    return f"{_hash(game, name)}/{name}" if game.number % 4 == 0 else name


def _screenshots(game: Game) -> dict[str, Any]:
    names = [f"steam/apps/{game.steam_id}/ss_{_hash(game, f'shot {number}')}.jpg?t=1700000000" for number in range(4)]
    shots = [{"filename": name, "ordinal": ordinal} for ordinal, name in enumerate(names)]
    return {"all_ages_screenshots": shots[2::-1], "mature_content_screenshots": shots[3:]}


def _reviews(game: Game) -> dict[str, Any]:
    if game.users is None:
        return {"summary_filtered": {"review_count": 0, "percent_positive": 0, "review_score": 0}}
    return {"summary_filtered": {"review_count": game.users.count, "percent_positive": game.users.value}}


def _rating(game: Game) -> dict[str, Any]:
    return {"type": "esrb", "rating": game.esrb.lower(), "descriptors": ["Violence"], "required_age": 0}


def _weights(game: Game) -> list[dict[str, int]]:
    weights = [{"tagid": TAGS.index(name) + 1, "weight": 900 - n} for n, name in enumerate(tag_names(game))]
    return [*weights[1:], weights[0]]


def description(game: Game) -> str:
    """Return a description with the markup that publishers use."""
    listed = "".join(f"[*]{feature}" for feature in game.features)
    link = f"[url={game.website}]Read on[/url]" if game.website else ""
    return (
        f"[h2]About {game.name}[/h2]\n{game.summary}\n\n[img]{{STEAM_APP_IMAGE}}/extras/art.png[/img]"
        f"[list]{listed}[/list][b]Play[/b] it. {link}"
    )


def _hash(game: Game, name: str) -> str:
    return sha1(f"{game.number} {name}".encode()).hexdigest()


def _picture(path: str) -> Answer:
    """Return the picture that a game has at exactly this path."""
    for game in PC_GAMES:
        if path == f"/icons/{game.steam_id}/{_hash(game, 'icon')}.jpg":
            return picture(game, "icon", size=(32, 32))
        if path.startswith(f"/images/steam/apps/{game.steam_id}/"):
            return _file(game, path.removeprefix(f"/images/steam/apps/{game.steam_id}/"))
    return status(404)


def _file(game: Game, file: str) -> Answer:
    assets = {name.partition("?")[0] for name in _assets(game).values()}
    shots = [_hash(game, f"shot {number}") for number in range(4)]
    name, _, suffix = file.rpartition("/")[2].rpartition(".")
    if file in assets or (file == "logo.png" and game.number % 4):
        return picture(game, name, size=_SIZES[name], suffix=suffix)
    for number, shot in enumerate(shots):
        if file == f"ss_{shot}.jpg":
            return picture(game, f"screenshot {number}", size=(1920, 1080))
    return status(404)
