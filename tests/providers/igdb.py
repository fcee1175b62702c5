"""A stand-in for IGDB and for Twitch, which issues its access tokens."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from secrets import token_hex
from threading import Lock
from typing import Any
from zlib import crc32

from providers.apicalypse import MalformedQuery, Record, parse
from providers.games import GAMES, Game, Kind, Machine, called
from providers.pictures import picture
from providers.standin import Answer, RecordedRequest, StandIn, json_answer, status

_PLATFORMS = {Machine.WINDOWS: 6, Machine.LINUX: 3, Machine.MAC: 14, Machine.SWITCH: 130, Machine.PLAYSTATION: 48}
_SIZES = {
    "cover_small": (90, 128),
    "cover_big": (264, 374),
    "cover_big_2x": (528, 748),
    "thumb_2x": (180, 180),
    "1080p": (1920, 1080),
}
_OLD_ESRB = {"RP": 6, "EC": 7, "E": 8, "E10": 9, "T": 10, "M": 11, "AO": 12}
_PICTURE = re.compile(r"/igdb/image/upload/t_(\w+)/(cover|artwork|screenshot)(\d+)\w*\.jpg")
_SCREENSHOTS = 3
_TYPES = {Kind.GAME: 0, Kind.DLC: 1, Kind.DEMO: 13, Kind.SOUNDTRACK: 13}


class IgdbStandIn(StandIn):
    """IGDB: it accepts queries in Apicalypse with an access token from Twitch."""

    secrets = ("igdb secret/&+%", "igdb+secret%2F%26%2B%25", "igdb%20secret")

    def __init__(self, port: int = 0) -> None:
        super().__init__(port)
        self.client_id, self.client_secret = "igdb-client", self.secrets[0]
        self.lifetime = 5_000_000
        self._tokens: set[str] = set()
        self._giving = Lock()
        self._records = {game.igdb_id: self._record(game) for game in GAMES}

    @property
    def settings(self) -> dict[str, str]:
        return {
            "igdb_client_id": self.client_id,
            "igdb_client_secret": self.client_secret,
            "igdb_api_url": f"{self.address}/v4",
            "igdb_token_url": f"{self.address}/oauth2/token",
            "igdb_image_url": f"{self.address}/igdb/image/upload",
        }

    def page(self, game: Game) -> str:
        """Return the URL of a game's page; names that several games share are numbered."""
        earlier = sum(other.slug == game.slug for other in GAMES if other.number < game.number)
        return f"{self.address}/games/{game.slug}" + (f"--{earlier}" if earlier else "")

    def expire_tokens(self) -> None:
        """Invalidate all tokens."""
        self._tokens.clear()

    def respond(self, request: RecordedRequest) -> Answer:
        if request.path == "/oauth2/token":
            return self._token(request)
        if request.path == "/v4/games":
            return self._games(request)
        found = _PICTURE.fullmatch(request.path)
        games = [game for game in GAMES if found and str(game.number) == found[3]]
        return picture(games[0], found[2], size=_SIZES[found[1]]) if found and games else status(404)

    def _token(self, request: RecordedRequest) -> Answer:
        if request.method != "POST" or request.query.get("grant_type") != "client_credentials":
            return json_answer({"status": 400, "message": "missing grant type"}, status=400)
        if request.query.get("client_id") != self.client_id:
            return json_answer({"status": 400, "message": "invalid client"}, status=400)
        if request.query.get("client_secret") != self.client_secret:
            return json_answer({"status": 403, "message": "invalid client secret"}, status=403)
        token = token_hex(15)
        with self._giving:
            self._tokens.add(token)
        return json_answer({"access_token": token, "expires_in": self.lifetime, "token_type": "bearer"})

    def _games(self, request: RecordedRequest) -> Answer:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or token not in self._tokens or request.headers.get("client-id") != self.client_id:
            return json_answer({"message": "Authorization Failure. Have you tried:"}, status=401)
        if request.method != "POST" or request.headers.get("accept") != "application/json":
            return json_answer({"message": "Not acceptable"}, status=406)
        try:
            return json_answer(self._execute(request.body.decode()))
        except MalformedQuery as error:
            return json_answer([{"title": "Syntax Error", "status": 400, "cause": str(error)}], status=400)

    def _execute(self, query: str) -> list[Any]:
        return parse(query).execute(list(self._records.values()), find=self._find)

    def _find(self, text: str) -> Sequence[Record]:
        return [self._records[game.igdb_id] for game in called(text)]

    def _record(self, game: Game) -> Record:
        return {
            "id": game.igdb_id,
            "name": game.name,
            "slug": self.page(game).rpartition("/")[2],
            "url": self.page(game),
            "game_type": _TYPES[game.kind],
            "platforms": [_PLATFORMS[machine] for machine in sorted(game.machines, key=str)],
            "summary": game.summary,
            "storyline": "\n\n".join(game.features),
            "alternative_names": _names([f"{game.name} (working title)"]),
            "first_release_date": _seconds(game),
            "release_dates": [{"id": game.number, "date": _seconds(game), "date_format": _format(game)}],
            "involved_companies": _involved(game),
            "genres": _names(game.genres),
            "themes": _names(game.themes),
            "game_modes": _names(game.modes),
            "player_perspectives": _names(filter(None, [game.perspective])),
            **_scores(game),
            "age_ratings": [*_pegi(game), *_esrb(game)],
            "cover": {"id": game.number, "image_id": f"cover{game.number}"},
            "artworks": [
                {"id": game.number, "image_id": f"artwork{game.number}tall", "width": 600, "height": 900},
                {"id": game.number, "image_id": f"artwork{game.number}wide", "width": 1920, "height": 1080},
            ],
            "screenshots": [
                {"id": number, "image_id": f"screenshot{game.number}n{number}"} for number in range(_SCREENSHOTS)
            ],
            "websites": [{"id": 1, "url": game.website, "type": 1}] if game.website else [],
            "external_games": _elsewhere(game),
        }


def _id(text: str) -> int:
    return crc32(text.encode())


def _names(names: Iterable[str]) -> list[Record]:
    return [{"id": _id(name), "name": name} for name in names]


def _seconds(game: Game) -> int:
    """Return the release date; a year without a day is recorded as its last day."""
    day = game.day or date(game.year, 12, 31)
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def _format(game: Game) -> Record:
    form = "YYYYMMMMDD" if game.day else "YYYY"
    return {"id": _id(form), "format": form}


def _involved(game: Game) -> list[Record]:
    return [
        {
            "id": _id(f"{game.name} {company}"),
            "company": {"id": _id(company), "name": company},
            "developer": company in game.developers,
            "publisher": company in game.publishers,
        }
        for company in dict.fromkeys(game.developers + game.publishers)
    ]


def _scores(game: Game) -> Record:
    scores = [score for score in (game.users, game.critics) if score]
    return {
        "rating": game.users and float(game.users.value),
        "rating_count": game.users and game.users.count,
        "aggregated_rating": game.critics and float(game.critics.value),
        "aggregated_rating_count": game.critics and game.critics.count,
        "total_rating": sum(score.value for score in scores) / len(scores) if scores else None,
        "total_rating_count": sum(score.count for score in scores) or None,
    }


def _pegi(game: Game) -> list[Record]:
    """Return the rating in the current form: a board and a category with records of their own."""
    description = {"id": 1, "description": "Violence"}
    return (
        [
            {
                "id": game.number,
                "organization": {"id": 2, "name": "PEGI"},
                "rating_category": {"id": game.pegi, "rating": str(game.pegi)},
                "rating_content_descriptions": [description],
                "category": None,
                "rating": None,
            }
        ]
        if game.pegi
        else []
    )


def _esrb(game: Game) -> list[Record]:
    """Return the rating in the deprecated form: two enumerations."""
    return [{"id": game.number, "category": 1, "rating": _OLD_ESRB[game.esrb]}] if game.esrb else []


def _elsewhere(game: Game) -> list[Record]:
    ids = {1: str(game.steam_id) if game.on_pc else "", 5: game.gog, 14: "a page at Twitch"}
    return [{"id": _id(uid), "uid": uid, "external_game_source": source} for source, uid in ids.items() if uid]
