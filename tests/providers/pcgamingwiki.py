"""A stand-in for PCGamingWiki: MediaWiki's questions about pages, what leads from Steam's ids to them, and pictures.

As the real one since August 2026 it answers questions to its database (Cargo) only to those who have signed in.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

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


class PCGamingWikiStandIn(StandIn):
    """Answers for the wiki at its root and for its pictures (/images)."""

    @property
    def settings(self) -> dict[str, str]:
        return {"pcgamingwiki_url": self.address, "pcgamingwiki_image_url": f"{self.address}/images"}

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
        if query.get("format") != "json" or query.get("formatversion") != "2":
            return html()
        if query.get("action") == "cargoquery":
            return _error("permissiondenied", "You don't have permission to run Cargo queries.")
        if query.get("action") != "query" or query.get("prop") != "revisions" or query.get("rvslots") != "main":
            return _error("badvalue", "Unrecognized value for parameter.")
        try:
            found = self._found(query)
        except ValueError as wrong:
            return _error("invalidparam", str(wrong))
        if not found:
            return json_answer({"batchcomplete": True})
        return json_answer({"batchcomplete": True, "query": {"pages": [_page(*each) for each in enumerate(found, 1)]}})

    def _found(self, query: Mapping[str, str]) -> Sequence[Game | str]:
        """Give the games whose pages are wanted, and whatever was asked for and is not there."""
        if query.get("generator") == "prefixsearch":
            start = _title(query["gpssearch"]).casefold()
            return [game for game in GAMES if title_of(game).casefold().startswith(start)][: int(query["gpslimit"])]
        if query.get("generator") == "search":
            if _OPERATOR.search(query["gsrsearch"]):
                raise ValueError(f"operator in {query['gsrsearch']!r}")
            return [game for game in called(query["gsrsearch"]) if game in GAMES][: int(query["gsrlimit"])]
        if "pageids" in query:
            return _listed(query["pageids"], lambda game: str(game.pcgamingwiki_id))
        return _listed(query["titles"].replace("_", " "), title_of)

    def _on_steam(self, appid: str) -> Answer:
        for game in GAMES:
            if str(game.steam_id) == appid:
                return redirect(f"{self.address}/wiki/{quote(title_of(game).replace(' ', '_'))}", code=301)
        return html(404)


def _error(code: str, info: str) -> Answer:
    """Answer as MediaWiki does, with a status of 200."""
    told = json_answer({"error": {"code": code, "info": info}})
    return replace(told, headers={**told.headers, "MediaWiki-API-Error": code}, refuses=True)


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


def _page(index: int, wanted: Game | str) -> dict[str, Any]:
    if isinstance(wanted, str):
        return {"title": wanted, "missing": True}
    slot = {"contentmodel": "wikitext", "contentformat": "text/x-wiki", "content": head(wanted)}
    return {
        "pageid": wanted.pcgamingwiki_id,
        "ns": 0,
        "title": title_of(wanted),
        "index": index,
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


def _taxonomy(game: Game) -> list[str]:
    words = {"modes": game.modes, "perspectives": (game.perspective,), "genres": game.genres, "themes": game.themes}
    told = {row: ", ".join(_WORDS.get(name, name) for name in names) for row, names in words.items()}
    return [f"{{{{Infobox game/row/taxonomy/{row} | {text}, }}}}" for row, text in told.items()]


def _escaped(summary: str) -> str:
    return summary.replace("[", "&#91;")


def _company(name: str) -> str:
    return "Company:Valve Corporation" if name == "Valve" else name


def _date(game: Game) -> str:
    return f"{game.day:%B} {game.day.day}, {game.day.year}" if game.day else str(game.year)


def _cover(game: Game) -> str:
    return f"{game.slug} cover.jpg"


def _picture(file: str) -> Answer:
    for game in GAMES:
        name = _cover(game).replace(" ", "_")
        name = name[0].upper() + name[1:]
        folder = hashlib.md5(name.encode()).hexdigest()
        if file == f"{folder[0]}/{folder[:2]}/{name}":
            return picture(game, "cover of the wiki", size=(600, 900))
    return status(404)
