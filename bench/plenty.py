"""Ten thousand plausible games, or more, written directly to a database."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from playdock.content.naming import sort_name
from playdock.db.database import Database
from playdock.domain.search.queries import reindex
from playdock.kit.clock import utc_now
from playdock.kit.texts import normalize
from playdock.kit.words import words
from playdock.models import (
    Base,
    Company,
    Game,
    GameCompany,
    GameTag,
    Library,
    Picture,
    PictureUse,
    Tag,
    Version,
)

GAMES = 10_000
_Rows = list[tuple[type[Base], Sequence[dict[str, Any]]]]
_TAGS = 400
_COMPANIES = 2_500
_WORDS_OF_A_DESCRIPTION = 180
_QUALITIES = words(
    "Ancient Broken Brave Burning Crimson Crystal Cursed Dark Deep Endless Eternal Final Forgotten Frozen Golden "
    "Hidden Hollow Iron Lost Mystic Neon Phantom Radiant Sacred Savage Shattered Silent Stellar Wandering Wild"
)
_THINGS = words(
    "Abyss Arena Chronicle Circuit Citadel Colony Dragon Dungeon Empire Forest Fortress Frontier Galaxy Garden Harvest "
    "Horizon Hunter Kingdom Knight Labyrinth Legacy Machine Ocean Odyssey Outpost Pirate Racer Realm Rebellion Relic "
    "Samurai Shadow Signal Souls Storm Tactics Titan Voyage Warrior Witch"
)
_SYLLABLES = words("an ar bel dor dra el en fen gan gar ith ka lo mi mor ne os quin ri ro shi ta thu ul va zar")
_KINDS = ("genre", "theme", "mode", "perspective", "keyword")
_ROLES = (("cover", 6), ("banner", 6), ("icon", 2), ("carousel", 6))


@dataclass(frozen=True, slots=True)
class Known:
    """Queries with known results."""

    title: str
    tag: str
    company: str
    word: str


def fill(database: Database, *, games: int = GAMES, folder: Path = Path("/nowhere")) -> Known:
    """Write and index the games of a library at a folder, the same ones every time."""
    chance = random.Random(1)
    vocabulary = sorted({_word(chance, 1, 5) for _ in range(20_000)})
    tags = [_labelled(f"tag-{n}", _word(chance, 2, 4), kind=chance.choice(_KINDS)) for n in range(_TAGS)]
    companies = [_labelled(f"company-{n}", f"{_word(chance, 2, 3)} {n}", **_NOTHING) for n in range(_COMPANIES)]
    library = {"id": "library", "name": "Games", "backend": "Filesystem", "options": {"baseDir": str(folder)}}
    _write(database, [(Library, [{**library, "created": utc_now()}]), (Tag, tags), (Company, companies)])
    titles: list[str] = []
    for start in range(0, games, GAMES):
        titles += _add_games(database, chance, vocabulary, range(start, min(start + GAMES, games)))
    return Known(titles[4321], tags[0]["id"], companies[0]["id"], vocabulary[1000])


def settle(database: Database) -> None:
    """Update PostgreSQL's statistics, which autovacuum does a minute after many rows were written."""
    if not database.embedded:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")


def _add_games(database: Database, chance: random.Random, vocabulary: Sequence[str], numbers: range) -> list[str]:
    """Write and index some games, and return their names."""
    # Games are locked in the order of their ids while they are indexed.
    ids = [f"game-{number:06}" for number in numbers]
    games = [_game(chance, game_id, vocabulary) for game_id in ids]
    rows: _Rows = [
        (Game, games),
        (GameTag, list(_tags_of(chance, ids))),
        (GameCompany, list(_companies_of(chance, ids))),
        (Picture, list(_pictures(ids))),
        (PictureUse, list(_uses(ids))),
        (Version, list(_versions(chance, ids))),
    ]
    _write(database, rows, indexed=ids)
    return [game["name"] for game in games]


def _write(database: Database, rows: _Rows, *, indexed: Sequence[str] = ()) -> None:
    with database.write() as session:
        for table, values in rows:
            session.execute(insert(table), values)
        reindex(session, indexed)


_NOTHING = {"description": "", "website": ""}


def _word(chance: random.Random, least: int, most: int) -> str:
    return "".join(chance.choices(_SYLLABLES, k=chance.randint(least, most)))


def _labelled(label_id: str, name: str, **more: str) -> dict[str, Any]:
    return {
        "id": label_id,
        "name": name,
        "normalized_name": f"{normalize(name)} {label_id}",
        "created": utc_now(),
        **more,
    }


def _name(chance: random.Random) -> str:
    strange, quality, thing = _word(chance, 2, 4), chance.choice(_QUALITIES), chance.choice(_THINGS)
    forms = (f"{quality} {thing}", f"The {thing} of {strange}", f"{strange}: {quality} {thing}", f"{strange} {thing}")
    return chance.choice(forms).title() + chance.choice(("", "", "", " 2", " III", " HD", " Remastered"))


def _game(chance: random.Random, game_id: str, vocabulary: Sequence[str]) -> dict[str, Any]:
    name, at = _name(chance), utc_now() - timedelta(minutes=chance.randrange(1_000_000))
    often = (int(len(vocabulary) * chance.random() ** 4) for _ in range(_WORDS_OF_A_DESCRIPTION))
    return {
        "id": game_id,
        "library_id": "library",
        "path": f"{name} {game_id}",
        "name": name,
        "sort_name": sort_name(name),
        "metadata_source": "Steam",
        "metadata_id": game_id,
        "short_description": f"{name}, by {_word(chance, 3, 5)}.",
        "description": " ".join(vocabulary[place] for place in often),
        "released": date(1990, 1, 1) + timedelta(days=chance.randrange(13_000)) if chance.random() < 0.9 else None,
        "release_precision": "day",
        "featured": chance.random() < 0.005,
        "rating": round(chance.random(), 3) if chance.random() < 0.8 else None,
        "created": at,
        "updated": at,
    }


def _tags_of(chance: random.Random, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    for game_id in ids:
        chosen = {int(_TAGS * chance.random() ** 3) for _ in range(10)}
        for position, number in enumerate(chosen):
            yield {"game_id": game_id, "tag_id": f"tag-{number}", "position": position}


def _companies_of(chance: random.Random, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    for game_id in ids:
        for role in ("developer", "publisher"):
            company = f"company-{int(_COMPANIES * chance.random() ** 3)}"
            yield {"game_id": game_id, "role": role, "company_id": company, "position": 0}


def _pictures(ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    for game_id in ids:
        for role, renditions in _ROLES:
            picture = f"{role}-{game_id}"
            sizes = [_rendition(picture, number) for number in range(renditions)]
            row = {"id": picture, "game_id": game_id, "source": "Steam", "address": "", "credit": ""}
            yield {**row, "renditions": sizes, "created": utc_now()}


def _rendition(picture: str, number: int) -> dict[str, Any]:
    size, media_type = ("grid", "page", "banner")[number // 2], ("image/webp", "image/jpeg")[number % 2]
    object_id = f"00000000-0000-4000-8000-{number:012}-{picture}"
    return {"size": size, "mediaType": media_type, "width": 300, "height": 450, "objectId": object_id}


def _uses(ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    for game_id in ids:
        for role, _ in _ROLES:
            yield {"game_id": game_id, "role": role, "position": 0, "picture_id": f"{role}-{game_id}"}


def _versions(chance: random.Random, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    empty = dict.fromkeys(("launch", "launch_args", "setup", "setup_args"), "")
    for game_id in ids:
        for position in range(chance.randint(1, 3)):
            yield {
                "id": f"version-{position}-{game_id}",
                "game_id": game_id,
                "position": position,
                "name": f"1.{position}",
                "platform": chance.choice(("Windows", "Windows", "Linux", "macOS")),
                "delta": False,
                "only_setup": False,
                "size": 10**9,
                "installed_size": 10**9,
                "manifest_etag": "0" * 64,
                "created": utc_now(),
                **empty,
            }
