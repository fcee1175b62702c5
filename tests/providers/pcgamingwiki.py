"""A stand-in for PCGamingWiki: MediaWiki's queries of pages, the database, redirects from Steam ids, and pictures.

Like the real one since August 2026, it rejects anonymous queries of its database (Cargo), unless it is `OPEN` or
`WITHOUT_REVISIONS`.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from html import escape
from typing import Any
from urllib.parse import quote

from providers import cargo
from providers.games import PC_GAMES, Game, Kind, Machine, called
from providers.pictures import picture
from providers.standin import Answer, RecordedRequest, StandIn, html, json_answer, redirect, status

_SYSTEMS = {Machine.WINDOWS: "Windows", Machine.MAC: "OS X", Machine.LINUX: "Linux"}
_WORDS = {
    "Single player": "Singleplayer",
    "Science fiction": "Sci-fi",
    "Role-playing": "RPG",
    "First-person": "First-person",
}
_MAX_PAGES = 50
_NO_TITLE = re.compile(r"[|#<>\[\]{}]")
# Operators of the search, and characters that may begin one.
_OPERATOR = re.compile(r"[\"~*?\\/:\[\]]|(?:^|\s)[-!]")

GAMES = tuple(game for game in PC_GAMES if game.kind is Kind.GAME)


def title_of(game: Game) -> str:
    """Return the title of a game's page, which ends with the year if several games share the name."""
    shared = sum(other.name.casefold() == game.name.casefold() for other in GAMES) > 1
    plain = re.sub(r"[™®©]", "", game.name)
    return f"{plain} ({game.year})" if shared else plain


class WikiQuery(Enum):
    """The kinds of queries; the value is the parameter that identifies the kind."""

    TITLES = ("action", "opensearch")
    WORDS = ("list", "search")
    HEADS = ("prop", "revisions")
    DATABASE = ("action", "cargoquery")
    TEXT = ("action", "parse")


def error(code: str, info: str) -> Answer:
    """Return an error of MediaWiki, which has status 200."""
    response = json_answer({"error": {"code": code, "info": info}})
    return replace(response, headers={**response.headers, "MediaWiki-API-Error": code})


Refusals = Mapping[WikiQuery, Answer]

WITHOUT_CARGO: Refusals = {
    WikiQuery.DATABASE: error("permissiondenied", "You don't have permission to run Cargo queries.")
}
WITHOUT_REVISIONS: Refusals = {
    WikiQuery.HEADS: error("readapidenied", "You need read permission to use this module."),
}
OPEN: Refusals = {}


class PCGamingWikiStandIn(StandIn):
    """The wiki at the root and its pictures below /images; ``refusing`` are the responses to rejected queries."""

    def __init__(self, port: int = 0, *, refusing: Refusals = WITHOUT_CARGO) -> None:
        super().__init__(port)
        self.refusing = refusing

    @property
    def settings(self) -> dict[str, str]:
        return {"pcgamingwiki_url": self.address, "pcgamingwiki_image_url": f"{self.address}/images"}

    def queries_of(self, kind: WikiQuery) -> list[RecordedRequest]:
        """Return the recorded requests of a kind."""
        return [request for request in self.requests if _query_kind(request.query) is kind]

    def respond(self, request: RecordedRequest) -> Answer:
        if "Playdock" not in request.headers.get("user-agent", ""):
            return html(403)
        if request.path == "/w/api.php":
            return self._api(request.query)
        if request.path == "/api/appid.php":
            return self._on_steam(request.query.get("appid", ""))
        if (file := request.under("/images/")) is not None:
            return _picture(file)
        return html() if request.path.startswith("/wiki/") else status(404)

    def _api(self, query: Mapping[str, str]) -> Answer:
        kind = _query_kind(query)
        if query.get("format") != "json" or kind is None:
            return replace(error("badvalue", "Unrecognized value for parameter."), is_refusal=True)
        if kind in self.refusing:
            return self.refusing[kind]
        answers = {
            WikiQuery.TITLES: self._suggest,
            WikiQuery.WORDS: self._search,
            WikiQuery.HEADS: self._heads,
            WikiQuery.DATABASE: self._rows,
            WikiQuery.TEXT: self._text,
        }
        try:
            return json_answer(answers[kind](query))
        except (ValueError, KeyError) as wrong:
            return replace(error("invalidparam", str(wrong)), is_refusal=True)

    def _suggest(self, query: Mapping[str, str]) -> list[Any]:
        start = _title(query["search"]).casefold()
        titles = [title_of(game) for game in GAMES if title_of(game).casefold().startswith(start)][
            : int(query["limit"])
        ]
        return [query["search"], titles, [""] * len(titles), [f"{self.address}/wiki/{quote(each)}" for each in titles]]

    def _search(self, query: Mapping[str, str]) -> dict[str, Any]:
        if _OPERATOR.search(query["srsearch"]):
            raise ValueError(f"operator in {query['srsearch']!r}")
        found = [game for game in called(query["srsearch"]) if game in GAMES][: int(query["srlimit"])]
        hits = [{"ns": 0, "title": title_of(game), "pageid": game.pcgamingwiki_id, "snippet": ""} for game in found]
        return {"batchcomplete": "", "query": {"searchinfo": {"totalhits": len(hits)}, "search": hits}}

    def _heads(self, query: Mapping[str, str]) -> dict[str, Any]:
        """Return the requested pages, including entries for missing ones."""
        if query["formatversion"] != "2" or query["rvslots"] != "main":
            raise ValueError("formats of long ago")
        if "pageids" in query:
            found = _listed(query["pageids"], lambda game: str(game.pcgamingwiki_id))
        else:
            found = _listed(query["titles"].replace("_", " "), title_of)
        return {"batchcomplete": True, "query": {"pages": [_page(each) for each in found]}}

    def _rows(self, query: Mapping[str, str]) -> dict[str, Any]:
        rows = cargo.select(query, map(self._row, GAMES), table="Infobox_game")
        return {"cargoquery": [{"title": row} for row in rows]}

    def _row(self, game: Game) -> dict[str, str]:
        """Return the row of a game with all fields."""
        return {
            "_pageID": str(game.pcgamingwiki_id),
            "_pageName": title_of(game),
            "Cover_URL": f"{self.address}/images/{_place(game)}",
            **_dates(game),
            "Developers": _companies(game.developers),
            "Publishers": _companies(game.publishers),
            **{field: f"{text}," for field, text in _words(game).items()},
            "Series": "",
            "Art_styles": "",
            "Pacing": "Real-time",
            "Engines": "",
            "Steam_AppID": f"{game.steam_id},1, 2",
            "GOGcom_ID": game.gog,
            "License": "commercial",
            "Official_URL": game.website,
        }

    def _text(self, query: Mapping[str, str]) -> dict[str, Any]:
        (requested,) = [game for game in GAMES if str(game.pcgamingwiki_id) == query["pageid"]]
        if query["prop"] != "text":
            raise ValueError(query["prop"])
        text = {"*": page(requested)}
        return {"parse": {"title": title_of(requested), "pageid": requested.pcgamingwiki_id, "text": text}}

    def _on_steam(self, appid: str) -> Answer:
        for game in GAMES:
            if str(game.steam_id) == appid:
                return redirect(f"{self.address}/wiki/{quote(title_of(game).replace(' ', '_'))}", code=301)
        return html(404)


def _query_kind(query: Mapping[str, str]) -> WikiQuery | None:
    return next((each for each in WikiQuery if query.get(each.value[0]) == each.value[1]), None)


def _listed(requested: str, key: Callable[[Game], str]) -> Sequence[Game | str]:
    each = requested.split("|")
    if len(each) > _MAX_PAGES:
        raise ValueError(f"too many values: {len(each)}")
    games = {key(game): game for game in GAMES}
    return [games.get(_title(one), one) for one in each]


def _title(text: str) -> str:
    if not text or _NO_TITLE.search(text):
        raise ValueError(f"no title: {text!r}")
    return text


def _page(requested: Game | str) -> dict[str, Any]:
    if isinstance(requested, str):
        return {"title": requested, "missing": True}
    slot = {"contentmodel": "wikitext", "contentformat": "text/x-wiki", "content": head(requested)}
    return {
        "pageid": requested.pcgamingwiki_id,
        "ns": 0,
        "title": title_of(requested),
        "revisions": [{"slots": {"main": slot}}],
    }


def head(game: Game) -> str:
    """Return the wikitext of a game's page above its first heading."""
    rows = [
        *(f"{{{{Infobox game/row/developer|{_company(name)}}}}}" for name in game.developers),
        "{{Infobox game/row/porter|Somebody Else|Linux}}",
        "|publishers   =",
        *(
            f"{{{{Infobox game/row/publisher|{_company(name)}|ref=<ref>{{{{Refurl|url=x}}}}</ref>}}}}"
            for name in game.publishers
        ),
        "|release dates=",
        *(
            f"{{{{Infobox game/row/date|{_SYSTEMS[machine]}|{_date(game)}}}}}"
            for machine in sorted(game.machines, key=str)
        ),
        "|reception    =",
        f"{{{{Infobox game/row/reception|Metacritic|{game.slug}|{game.critics.value if game.critics else 'rating'}}}}}",
        "|taxonomy     =",
        *_taxonomy(game),
    ]
    return f"""{{{{stub}}}}
{{{{Infobox game
|cover        = {_cover(game)} <!-- the best there is -->
|developers   =
{chr(10).join(rows)}
|steam appid  = {game.steam_id}
|steam appid side = 1,2,3
|gogcom id    = {game.gog}
|official site= {game.website}
|license      = commercial
}}}}

{{{{Introduction
|introduction      = '''''{game.name}''''' is a [[Glossary:Game|game]].<ref>{{{{Refurl|url=y}}}}</ref>
{_escaped(game.summary)}

It is told of [https://localhost/{game.slug} elsewhere], too.

|release history   = Nothing of this counts.

|current state     =
}}}}

'''General information'''"""


def page(game: Game) -> str:
    """Return the HTML of a game's page, as far as it is used."""
    return (
        f'<div class="mw-parser-output"><table class="template-infobox"><tr><td>{escape(game.name)}</td></tr></table>'
        f'<div class="introduction infobox-side"><div><p><b>{escape(game.name)}</b> is a '
        f'<a href="/wiki/Glossary:Game">game</a>.<sup class="reference"><a href="#cite">[1]</a></sup></p></div>'
        f"<p>{escape(game.summary)}</p></div><p>Nothing of this counts.</p></div>"
    )


def _dates(game: Game) -> dict[str, str]:
    """Return the dates by operating system, with their precision."""
    existing = {f"Released_{name.replace(' ', '_')}": each in game.machines for each, name in _SYSTEMS.items()}
    date, precision = (game.day.isoformat(), "1") if game.day else (f"{game.year}-01-01", "3")
    dates = {field: date if known else "" for field, known in existing.items()} | {"Released": f"{date};{date}"}
    return dates | {f"{field}__precision": precision for field in dates}


def _companies(names: Sequence[str]) -> str:
    return ",".join(f"Company:{_company(name).removeprefix('Company:')}" for name in names)


def _words(game: Game) -> dict[str, str]:
    words = {"Modes": game.modes, "Perspectives": (game.perspective,), "Genres": game.genres, "Themes": game.themes}
    return {field: ", ".join(_WORDS.get(name, name) for name in names) for field, names in words.items()}


def _taxonomy(game: Game) -> list[str]:
    response = {field.lower(): text for field, text in _words(game).items()}
    return [f"{{{{Infobox game/row/taxonomy/{row} | {text}, }}}}" for row, text in response.items()]


def _escaped(summary: str) -> str:
    return summary.replace("[", "&#91;")


def _company(name: str) -> str:
    return "Company:Valve Corporation" if name == "Valve" else name


def _date(game: Game) -> str:
    return f"{game.day:%B} {game.day.day}, {game.day.year}" if game.day else str(game.year)


def _cover(game: Game) -> str:
    return f"{game.slug} cover.jpg"


def _place(game: Game) -> str:
    """Return the path of the cover on the picture server."""
    name = _cover(game).replace(" ", "_")
    name = name[0].upper() + name[1:]
    folder = hashlib.md5(name.encode()).hexdigest()
    return f"{folder[0]}/{folder[:2]}/{name}"


def _picture(file: str) -> Answer:
    for game in GAMES:
        if file == _place(game):
            return picture(game, "cover of the wiki", size=(600, 900))
    return status(404)
