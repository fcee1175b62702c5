"""A stand-in for SteamGridDB."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from providers.games import GAMES, Game, Kind, called
from providers.pictures import picture
from providers.standin import Answer, RecordedRequest, StandIn, json_answer, status

_SIZES = {"grids": (600, 900), "heroes": (1920, 620), "logos": (640, 360), "icons": (256, 256)}
_GRID_SIZES = ("460x215", "920x430", "600x900", "342x482", "660x930", "512x512", "1024x1024")
_LIST = re.compile(r"/api/v2/(grids|heroes|logos|icons)/(game|steam)/(\d+)")
_PICTURE = re.compile(r"/(grids|heroes|logos|icons)/(\d+)-\w+\.png")
_AUTOCOMPLETE = "/api/v2/search/autocomplete/"
_KNOWN = tuple(game for game in GAMES if game.kind is Kind.GAME)


@dataclass(frozen=True, slots=True)
class _PictureInfo:
    """A picture by a user."""

    name: str
    score: int
    author: str
    nsfw: bool = False
    humor: bool = False
    animated: bool = False


_CREATED = (
    _PictureInfo("plain", 2, "Ada"),
    _PictureInfo("best", 9, "Bea"),
    _PictureInfo("rude", 50, "Cyd", nsfw=True),
    _PictureInfo("good", 5, "Dan"),
    _PictureInfo("funny", 40, "Eve", humor=True),
    _PictureInfo("moving", 30, "Fay", animated=True),
    _PictureInfo("bad", -3, "Gus"),
)


class SteamGridDbStandIn(StandIn):
    """SteamGridDB: it lists the pictures of a game by its own id or the Steam id, in no order."""

    key = "0123456789abcdef"
    secrets = (key,)

    @property
    def settings(self) -> dict[str, str]:
        return {
            "steamgriddb_api_key": self.key,
            "steamgriddb_api_url": f"{self.address}/api/v2",
            "steamgriddb_image_url": self.address,
        }

    def respond(self, request: RecordedRequest) -> Answer:
        if found := _PICTURE.fullmatch(request.path):
            games = [game for game in _KNOWN if str(game.number) == found[2]]
            return picture(games[0], found[1], size=_SIZES[found[1]], suffix="png") if games else status(404)
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return _refusal(401, "Unauthorized")
        term = request.under(_AUTOCOMPLETE)
        if term is not None:
            return json_answer({"success": True, "data": [_listed(game) for game in called(term) if game in _KNOWN]})
        found = _LIST.fullmatch(request.path)
        return self._pictures(found[1], found[2], int(found[3]), request.query) if found else _refusal(404, "Not found")

    def _pictures(self, kind: str, by: str, number: int, query: Mapping[str, str]) -> Answer:
        games = [game for game in _KNOWN if number == (game.steamgriddb_id if by == "game" else _steam_id(game))]
        if not games:
            return _refusal(404, "Game not found")
        sizes = query.get("dimensions", "600x900").split(",")
        if (kind != "grids" and "dimensions" in query) or not set(sizes) <= set(_GRID_SIZES):
            return _refusal(400, "Invalid dimensions")
        info = [each for each in _CREATED if _is_listed(each, query)]
        data = [self._picture(kind, games[0], each) for each in info]
        return json_answer({"success": True, "page": 0, "total": len(data), "limit": 50, "data": data})

    def _picture(self, kind: str, game: Game, info: _PictureInfo) -> dict[str, Any]:
        width, height = _SIZES[kind]
        return {
            "id": game.number,
            "score": info.score,
            "style": "alternate",
            "width": width,
            "height": height,
            "nsfw": info.nsfw,
            "humor": info.humor,
            "mime": "image/png",
            "url": f"{self.address}/{kind}/{game.number}-{info.name}.png",
            "thumb": f"{self.address}/{kind}/{game.number}-{info.name}.png",
            "author": {"name": info.author, "steam64": "1", "avatar": ""},
        }


def _is_listed(info: _PictureInfo, query: Mapping[str, str]) -> bool:
    """Return whether a query includes a picture; by default it excludes only adult pictures."""
    types, nsfw, humor = query.get("types", "static,animated"), query.get("nsfw", "false"), query.get("humor", "any")
    barred = (
        info.animated and "animated" not in types,
        info.nsfw and nsfw == "false",
        info.humor and humor == "false",
    )
    return not any(barred)


def _steam_id(game: Game) -> int:
    return game.steam_id if game.on_pc else 0


def _listed(game: Game) -> dict[str, Any]:
    day = game.day
    released = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) if day else None
    return {"id": game.steamgriddb_id, "name": game.name, "types": [], "verified": True, "release_date": released}


def _refusal(code: int, reason: str) -> Answer:
    return json_answer({"success": False, "errors": [reason]}, status=code)
