"""A stand-in for GiantBomb, which knows only PC games."""

import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from providers.games import PC_GAMES, Game, called
from providers.pictures import picture
from providers.standin import Answer, RecordedRequest, StandIn, json_answer, status

_PICTURE = re.compile(r"/a/uploads/(square_avatar|scale_large|original)/(\d+)-\w+\.jpg")
_SIZES = {"square_avatar": (80, 80), "scale_large": (640, 960), "original": (1280, 720)}
_MACHINES = {"Windows": "PC", "macOS": "Mac", "Linux": "Linux"}
_KNOWN = {game.giantbomb_id: game for game in PC_GAMES}


class GiantBombStandIn(StandIn):
    """GiantBomb: every response is an envelope with its own status code."""

    key = "giantbomb/key?&"
    secrets = (key, "giantbomb%2Fkey")

    @property
    def settings(self) -> dict[str, str]:
        return {
            "giantbomb_api_key": self.key,
            "giantbomb_api_url": f"{self.address}/api",
            "giantbomb_image_url": f"{self.address}/a/uploads",
        }

    def page(self, game: Game) -> str:
        return f"{self.address}/{game.slug}/3030-{game.giantbomb_id}/"

    def respond(self, request: RecordedRequest) -> Answer:
        if found := _PICTURE.fullmatch(request.path):
            games = [game for game in _KNOWN.values() if str(game.number) == found[2]]
            return picture(games[0], found[1], size=_SIZES[found[1]]) if games else status(404)
        if "python" in request.headers.get("user-agent", "python"):
            return status(403)
        if request.query.get("api_key") != self.key:
            return _envelope([], code=100, error="Invalid API Key", http=401)
        if request.query.get("format") != "json":
            return _envelope([], code=102, error="Error in URL Format", http=400)
        resource, _, rest = request.path.removeprefix("/api/").partition("/")
        return {"search": self._search, "game": self._game, "review": self._review}[resource](rest.strip("/"), request)

    def _search(self, _: str, request: RecordedRequest) -> Answer:
        if not request.query.get("query") or request.query.get("resources") != "game":
            return _envelope([], code=104, error="Filter Error", http=400)
        games = [game for game in called(request.query["query"]) if game.giantbomb_id in _KNOWN]
        results = [self._selected(game, request) for game in games[: int(request.query.get("limit", "10"))]]
        return _envelope(results)

    def _game(self, guid: str, request: RecordedRequest) -> Answer:
        kind, _, number = guid.partition("-")
        game = _KNOWN.get(int(number)) if kind == "3030" and number.isdecimal() else None
        return _envelope(self._selected(game, request)) if game else _envelope([], code=101, error="Object Not Found")

    def _review(self, guid: str, _: RecordedRequest) -> Answer:
        number = guid.removeprefix("1900-")
        games = [game for game in _KNOWN.values() if str(game.number) == number and game.critics]
        if not games or not games[0].critics:
            return _envelope([], code=101, error="Object Not Found")
        page = f"{self.address}/reviews/{games[0].slug}/1900-{number}/"
        return _envelope({"score": round(games[0].critics.value / 20), "site_detail_url": page})

    def _selected(self, game: Game, request: RecordedRequest) -> Mapping[str, Any]:
        requested = request.query.get("field_list", "").split(",")
        return {name: value for name, value in self._record(game).items() if name in requested or requested == [""]}

    def _record(self, game: Game) -> Mapping[str, Any]:
        uploads = f"{self.address}/a/uploads"
        maker = f'<a href="/{escape(game.slug)}/3010-1/" onclick="alert(1)">{escape(game.developers[0])}</a>'
        return {
            "id": game.giantbomb_id,
            "guid": f"3030-{game.giantbomb_id}",
            "name": game.name,
            "deck": game.summary,
            "description": f"<h2>Overview</h2><p>{escape(game.summary)} Made by {maker}.</p><script>alert(1)</script>",
            "site_detail_url": self.page(game),
            "image": {
                "icon_url": f"{uploads}/square_avatar/{game.number}-icon.jpg",
                "super_url": f"{uploads}/scale_large/{game.number}-box.jpg",
                "original_url": f"{uploads}/original/{game.number}-box.jpg",
                "image_tags": "All Images,Box Art",
            },
            "images": [
                {"original": f"{uploads}/original/{game.number}-box.jpg", "tags": "All Images,Box Art"},
                {"original": f"{uploads}/original/{game.number}-one.jpg", "tags": "All Images,PC Screenshots"},
                {"original": f"{uploads}/original/{game.number}-two.jpg", "tags": "All Images,PC Screenshots"},
                {"original": "http://127.0.0.1:9/elsewhere.jpg", "tags": "All Images,PC Screenshots"},
            ],
            "platforms": _names(_MACHINES[each.value] for each in game.machines if each.value in _MACHINES),
            "developers": _names(game.developers),
            "publishers": _names(game.publishers) or None,
            "genres": _names(game.genres),
            "themes": _names(game.themes),
            "reviews": [{"id": game.number, "name": game.name}] if game.critics else None,
            "original_game_rating": _names(_ages(game)) or None,
            "original_release_date": game.day.isoformat() if game.day else None,
            "expected_release_year": None if game.day else game.year,
            "expected_release_quarter": None,
            "expected_release_month": None,
            "expected_release_day": None,
        }


def _ages(game: Game) -> list[str]:
    ages = {"ESRB": game.esrb, "PEGI": f"{game.pegi}+" if game.pegi else ""}
    return [f"{board}: {value}" for board, value in ages.items() if value]


def _names(names: Iterable[str]) -> list[Mapping[str, Any]]:
    return [{"id": number, "name": name} for number, name in enumerate(names, start=1)]


def _envelope(results: Any, *, code: int = 1, error: str = "OK", http: int = 200) -> Answer:
    count = len(results) if isinstance(results, list) else 1
    counts = {"limit": count, "offset": 0, "number_of_page_results": count, "number_of_total_results": count}
    envelope = {"error": error, "status_code": code, "results": results, **counts, "version": "1.0"}
    return json_answer(envelope, status=http)
