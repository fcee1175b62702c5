"""A stand-in for PCGamingWiki: MediaWiki's questions about pages, its database, what leads to pages, and pictures.

As the real one since August 2026 it answers questions to its database (Cargo) only to those who have signed in, unless
it is told to be `OPEN` or `WITHOUT_REVISIONS`.
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
from providers.standin import Answer, Asked, StandIn, html, json_answer, redirect, status

_SYSTEMS = {Machine.WINDOWS: "Windows", Machine.MAC: "OS X", Machine.LINUX: "Linux"}
_WORDS = {
    "Single player": "Singleplayer",
    "Science fiction": "Sci-fi",
    "Role-playing": "RPG",
    "First-person": "First-person",
}
_MOST_PAGES = 50
_NO_TITLE = re.compile(r"[|#<>\[\]{}]")
# Operators of the search, and what may begin one.
_OPERATOR = re.compile(r"[\"~*?\\/:\[\]]|(?:^|\s)[-!]")

GAMES = tuple(game for game in PC_GAMES if game.kind is Kind.GAME)


def title_of(game: Game) -> str:
    """Give the title of a game's page: games of the same name have the year behind it."""
    shared = sum(other.name.casefold() == game.name.casefold() for other in GAMES) > 1
    plain = re.sub(r"[™®©]", "", game.name)
    return f"{plain} ({game.year})" if shared else plain


class Question(Enum):
    """What the wiki can be asked: values tell it by, in what is asked."""

    TITLES = ("action", "opensearch")
    WORDS = ("list", "search")
    HEADS = ("prop", "revisions")
    DATABASE = ("action", "cargoquery")
    TEXT = ("action", "parse")


def error(code: str, info: str) -> Answer:
    """Answer with an error as MediaWiki does, with a status of 200."""
    told = json_answer({"error": {"code": code, "info": info}})
    return replace(told, headers={**told.headers, "MediaWiki-API-Error": code})


Refusals = Mapping[Question, Answer]

WITHOUT_CARGO: Refusals = {
    Question.DATABASE: error("permissiondenied", "You don't have permission to run Cargo queries.")
}
WITHOUT_REVISIONS: Refusals = {
    Question.HEADS: error("readapidenied", "You need read permission to use this module."),
}
OPEN: Refusals = {}


class PCGamingWikiStandIn(StandIn):
    """Answers for the wiki at its root and for its pictures (/images); some questions are answered otherwise."""

    def __init__(self, port: int = 0, *, refusing: Refusals = WITHOUT_CARGO) -> None:
        super().__init__(port)
        self.refusing = refusing

    @property
    def settings(self) -> dict[str, str]:
        return {"pcgamingwiki_url": self.address, "pcgamingwiki_image_url": f"{self.address}/images"}

    def put(self, question: Question) -> list[Asked]:
        """Give the requests in which so was asked."""
        return [asked for asked in self.requests if _question(asked.query) is question]

    def respond(self, asked: Asked) -> Answer:
        if "Playdock" not in asked.headers.get("user-agent", ""):
            return html(403)
        if asked.path == "/w/api.php":
            return self._api(asked.query)
        if asked.path == "/api/appid.php":
            return self._on_steam(asked.query.get("appid", ""))
        if (file := asked.under("/images/")) is not None:
            return _picture(file)
        return html() if asked.path.startswith("/wiki/") else status(404)

    def _api(self, query: Mapping[str, str]) -> Answer:
        question = _question(query)
        if query.get("format") != "json" or question is None:
            return replace(error("badvalue", "Unrecognized value for parameter."), refuses=True)
        if question in self.refusing:
            return self.refusing[question]
        answers = {
            Question.TITLES: self._suggest,
            Question.WORDS: self._search,
            Question.HEADS: self._heads,
            Question.DATABASE: self._rows,
            Question.TEXT: self._text,
        }
        try:
            return json_answer(answers[question](query))
        except (ValueError, KeyError) as wrong:
            return replace(error("invalidparam", str(wrong)), refuses=True)

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
        """Tell of the pages that are wanted, and of whatever was asked for and is not there."""
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
        """Write a game's row, with all fields that there are."""
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
        (wanted,) = [game for game in GAMES if str(game.pcgamingwiki_id) == query["pageid"]]
        if query["prop"] != "text":
            raise ValueError(query["prop"])
        text = {"*": page(wanted)}
        return {"parse": {"title": title_of(wanted), "pageid": wanted.pcgamingwiki_id, "text": text}}

    def _on_steam(self, appid: str) -> Answer:
        for game in GAMES:
            if str(game.steam_id) == appid:
                return redirect(f"{self.address}/wiki/{quote(title_of(game).replace(' ', '_'))}", code=301)
        return html(404)


def _question(query: Mapping[str, str]) -> Question | None:
    return next((each for each in Question if query.get(each.value[0]) == each.value[1]), None)


def _listed(wanted: str, key: Callable[[Game], str]) -> Sequence[Game | str]:
    each = wanted.split("|")
    if len(each) > _MOST_PAGES:
        raise ValueError(f"too many values: {len(each)}")
    games = {key(game): game for game in GAMES}
    return [games.get(_title(one), one) for one in each]


def _title(text: str) -> str:
    if not text or _NO_TITLE.search(text):
        raise ValueError(f"no title: {text!r}")
    return text


def _page(wanted: Game | str) -> dict[str, Any]:
    if isinstance(wanted, str):
        return {"title": wanted, "missing": True}
    slot = {"contentmodel": "wikitext", "contentformat": "text/x-wiki", "content": head(wanted)}
    return {
        "pageid": wanted.pcgamingwiki_id,
        "ns": 0,
        "title": title_of(wanted),
        "revisions": [{"slots": {"main": slot}}],
    }


def head(game: Game) -> str:
    """Write the text of a game's page above its first heading."""
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
    """Write the page of a game as a browser gets it, as far as it is told of."""
    return (
        f'<div class="mw-parser-output"><table class="template-infobox"><tr><td>{escape(game.name)}</td></tr></table>'
        f'<div class="introduction infobox-side"><div><p><b>{escape(game.name)}</b> is a '
        f'<a href="/wiki/Glossary:Game">game</a>.<sup class="reference"><a href="#cite">[1]</a></sup></p></div>'
        f"<p>{escape(game.summary)}</p></div><p>Nothing of this counts.</p></div>"
    )


def _dates(game: Game) -> dict[str, str]:
    """Write the dates by system, and how exact they are."""
    there = {f"Released_{name.replace(' ', '_')}": each in game.machines for each, name in _SYSTEMS.items()}
    date, precision = (game.day.isoformat(), "1") if game.day else (f"{game.year}-01-01", "3")
    dates = {field: date if known else "" for field, known in there.items()} | {"Released": f"{date};{date}"}
    return dates | {f"{field}__precision": precision for field in dates}


def _companies(names: Sequence[str]) -> str:
    return ",".join(f"Company:{_company(name).removeprefix('Company:')}" for name in names)


def _words(game: Game) -> dict[str, str]:
    words = {"Modes": game.modes, "Perspectives": (game.perspective,), "Genres": game.genres, "Themes": game.themes}
    return {field: ", ".join(_WORDS.get(name, name) for name in names) for field, names in words.items()}


def _taxonomy(game: Game) -> list[str]:
    told = {field.lower(): text for field, text in _words(game).items()}
    return [f"{{{{Infobox game/row/taxonomy/{row} | {text}, }}}}" for row, text in told.items()]


def _escaped(summary: str) -> str:
    return summary.replace("[", "&#91;")


def _company(name: str) -> str:
    return "Company:Valve Corporation" if name == "Valve" else name


def _date(game: Game) -> str:
    return f"{game.day:%B} {game.day.day}, {game.day.year}" if game.day else str(game.year)


def _cover(game: Game) -> str:
    return f"{game.slug} cover.jpg"


def _place(game: Game) -> str:
    """Give where the cover lies among the pictures."""
    name = _cover(game).replace(" ", "_")
    name = name[0].upper() + name[1:]
    folder = hashlib.md5(name.encode()).hexdigest()
    return f"{folder[0]}/{folder[:2]}/{name}"


def _picture(file: str) -> Answer:
    for game in GAMES:
        if file == _place(game):
            return picture(game, "cover of the wiki", size=(600, 900))
    return status(404)
