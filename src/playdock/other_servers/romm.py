"""RomM 4, with MariaDB, PostgreSQL or SQLite.

A platform is a folder with games: ``roms.fs_path`` below the library, which RomM sees as ``/romm/library``. Games of
consoles cannot be launched here and are left out.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from playdock.content.layouts import DEFAULT_VERSION
from playdock.content.programs import Platform
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.play_records.rules import PlayStatus
from playdock.metadata.game_metadata import GameMetadata, RatingFact, Role, TagFact, TagKind
from playdock.metadata.providers import MANUAL
from playdock.other_servers import rules
from playdock.other_servers.model import (
    Omission,
    SourceCollection,
    SourceGame,
    SourceImage,
    SourceLibrary,
    SourcePlayRecord,
    SourceSave,
    SourceSaveSlot,
    SourceServer,
    SourceSession,
    SourceUser,
    SourceVersion,
)
from playdock.other_servers.queries import Row, SourceDatabase, by_key

NAME = "RomM 4"
_LIBRARY = PurePosixPath("/romm/library")
_PLATFORMS = {"win": Platform.WINDOWS, "windows": Platform.WINDOWS, "linux": Platform.LINUX, "mac": Platform.MACOS}
_RATING_SCALE = 100.0
_STATUSES = {
    "incomplete": PlayStatus.PAUSED,
    "finished": PlayStatus.FINISHED,
    "completed_100": PlayStatus.COMPLETED,
    "retired": PlayStatus.ABANDONED,
    "never_playing": PlayStatus.ABANDONED,
}
_FAVORITES = ("favourites", "favorites")
# The emulators of RomM's pages have their saves here, too, so devices do not take these for theirs, which are in the
# first slot.
_SLOT = 1
_TITLE_OF_EARLIER = "My Note"
_STATE = ("last_played", "status", "now_playing", "backlogged", "note_raw_markdown")


def read(source: SourceDatabase) -> SourceServer:
    """Return what a RomM server has.

    Raises:
        SourceUnsupported: the database has not the tables of a supported release.
    """
    source.require(NAME, ("users", "hashed_password"), ("roms", "fs_name"), ("platforms", "fs_slug"))
    platforms = {row["id"]: row for row in source.rows("platforms", "id", "slug", "name", "custom_name")}
    rows = source.rows(
        *("roms", "id", "platform_id", "fs_name", "fs_path", "name", "summary", "igdb_id", "steam_id"),
        *("igdb_metadata", "path_cover_l", "path_screenshots"),
    )
    moved = [row for row in rows if platforms.get(row["platform_id"], {}).get("slug") in _PLATFORMS]
    folders = {row["fs_path"]: platforms[row["platform_id"]] for row in moved}
    return SourceServer(
        name="RomM",
        users=_users(source),
        libraries=tuple(
            SourceLibrary(folder, _name_of(platform), str(_LIBRARY / folder), layout=BackendKind.FLAT_FILESYSTEM)
            for folder, platform in sorted(folders.items(), key=lambda each: each[0])
        ),
        games=tuple(_game(row) for row in sorted(moved, key=lambda row: str(row["name"] or row["fs_name"]))),
        collections=_collections(source, {row["id"] for row in moved}),
        play_records=_play_records(source, {row["id"] for row in moved}),
        save_slots=_save_slots(source, {row["id"] for row in moved}),
        omissions=_omissions(source, rows, platforms, {row["id"] for row in moved}),
    )


def _name_of(platform: Row) -> str:
    return rules.line(platform["custom_name"]) or rules.line(platform["name"])


def _users(source: SourceDatabase) -> tuple[SourceUser, ...]:
    rows = source.rows("users", "id", "username", "hashed_password", "email", "enabled", "role")
    return tuple(
        SourceUser(
            key=str(row["id"]),
            username=rules.line(row["username"]),
            display_name="",
            email=rules.line(row["email"]),
            admin=str(row["role"]).upper() == "ADMIN",
            enabled=bool(row["enabled"]),
            password=str(row["hashed_password"] or ""),
        )
        for row in sorted(rows, key=lambda row: str(row["username"]))
    )


def _game(row: Row) -> SourceGame:
    known = {"IGDB": row["igdb_id"], "Steam": row["steam_id"]}
    ids = {name: str(value) for name, value in known.items() if value}
    images = [(Role.COVER, row["path_cover_l"])]
    images += [(Role.CAROUSEL, path) for path in rules.structure(row["path_screenshots"]) or ()]
    return SourceGame(
        key=str(row["id"]),
        library=row["fs_path"],
        path=row["fs_name"],
        facts=_facts(row, rules.structure(row["igdb_metadata"]) or {}, ids),
        source=next(iter(ids), MANUAL),
        metadata_id=next(iter(ids.values()), ""),
        # A version of the file may be appended as a query.
        images=tuple(SourceImage(role, str(path).partition("?")[0].lstrip("/")) for role, path in images if path),
        # RomM starts nothing: the program is guessed.
        versions=(SourceVersion(name=DEFAULT_VERSION),),
    )


def _facts(row: Row, known: Mapping[str, Any], ids: Mapping[str, str]) -> GameMetadata:
    rating = rules.number(known.get("total_rating"))
    return GameMetadata(
        name=rules.line(row["name"]) or PurePosixPath(row["fs_name"]).stem,
        description=rules.text(row["summary"]),
        released=rules.released(known.get("first_release_date")),
        developers=rules.unique(rules.texts(known.get("companies"))),
        tags=tuple(TagFact(TagKind.GENRE, name) for name in rules.unique(rules.texts(known.get("genres")))),
        ratings=() if rating is None else (RatingFact("IGDB", min(max(rating / _RATING_SCALE, 0.0), 1.0)),),
        external_ids=ids,
    )


def _collections(source: SourceDatabase, games: set[Any]) -> tuple[SourceCollection, ...]:
    """Return the collections of users. Favorites become the user's own library.

    Releases before 4.4 know them by their name.
    """
    is_marked = source.has("collections", "is_favorite")
    entries = by_key(source.rows("collections_roms", "collection_id", "rom_id"), "collection_id")
    return tuple(
        SourceCollection(
            key=str(row["id"]),
            user=str(row["user_id"]),
            name=rules.line(row["name"], at_most=128),
            is_default=bool(row["is_favorite"]) if is_marked else str(row["name"]).lower() in _FAVORITES,
            games=rules.unique([str(each["rom_id"]) for each in entries.get(row["id"], ()) if each["rom_id"] in games]),
        )
        for row in source.rows("collections", "id", "user_id", "name", "is_favorite")
    )


def _play_records(source: SourceDatabase, games: set[Any]) -> tuple[SourcePlayRecord, ...]:
    """Return play sessions, statuses and notes. Without a session, the time of the last run is one of no length."""
    sessions = _by_user_and_game(source, "play_sessions", "id", "start_time", "duration_ms")
    notes = _by_user_and_game(source, "rom_notes", "id", "title", "content")
    states = _by_user_and_game(source, "rom_user", "id", *_STATE)
    found = []
    for user, game in (key for key in {*sessions, *notes, *states} if key[1] in games):
        state = next(iter(states.get((user, game), ())), dict.fromkeys(_STATE))
        played = tuple(
            SourceSession(f"romm:{row['id']}", rules.moment(row["start_time"]), _seconds(row))
            for row in sessions.get((user, game), ())
        )
        last = played or rules.total(f"romm:last-{game}", 0, state["last_played"])
        texts = [_note_text(row) for row in notes.get((user, game), ())] or [rules.text(state["note_raw_markdown"])]
        found.append(SourcePlayRecord(str(user), str(game), last, _status(state), "\n\n".join(filter(None, texts))))
    return rules.play_records(found)


def _save_slots(source: SourceDatabase, games: set[Any]) -> tuple[SourceSaveSlot, ...]:
    """Return the saves of each user for each game, oldest first. They are below the folder with assets."""
    found = _by_user_and_game(source, "saves", "id", "file_path", "file_name", "updated_at")
    return tuple(
        SourceSaveSlot(str(user), str(game), _SLOT, _saves(rows))
        for (user, game), rows in sorted(found.items(), key=lambda each: tuple(map(str, each[0])))
        if game in games
    )


def _saves(rows: Sequence[Row]) -> tuple[SourceSave, ...]:
    # A file can be replaced, and is then another save: the time of the last change orders and identifies them.
    by_age = sorted(rows, key=lambda row: (str(row["updated_at"]), int(row["id"])))
    return tuple(
        SourceSave(
            key=f"{row['id']}:{rules.moment(row['updated_at'])}",
            path=f"{row['file_path']}/{row['file_name']}",
            checksum="",
            position=number,
            created=rules.moment(row["updated_at"]),
            device=rules.line(f"RomM: {row['file_name']}"),
        )
        for number, row in enumerate(by_age)
    )


def _by_user_and_game(source: SourceDatabase, table: str, *columns: str) -> dict[tuple[Any, Any], list[Row]]:
    """Return rows by user and game, in the order in which they were added."""
    rows: dict[tuple[Any, Any], list[Row]] = {}
    for row in sorted(source.rows(table, "user_id", "rom_id", *columns), key=lambda row: int(row["id"])):
        rows.setdefault((row["user_id"], row["rom_id"]), []).append(row)
    return rows


def _seconds(row: Row) -> int:
    return rules.duration((rules.number(row["duration_ms"]) or 0) / 1000)


def _note_text(row: Row) -> str:
    """Return a note with its title, unless it has the one that RomM 4.4 gave to all notes of earlier releases."""
    title = rules.line(row["title"])
    return "\n".join(filter(None, ("" if title == _TITLE_OF_EARLIER else title, rules.text(row["content"]))))


def _status(state: Row) -> PlayStatus | None:
    """Return a status. Databases store the names of statuses, in capitals."""
    if state["now_playing"]:
        return PlayStatus.PLAYING
    return _STATUSES.get(str(state["status"]).lower(), PlayStatus.PLANNED if state["backlogged"] else None)


def _omissions(
    source: SourceDatabase, rows: Sequence[Row], platforms: Mapping[Any, Row], games: set[Any]
) -> tuple[Omission, ...]:
    consoles = [
        (f"games for {_name_of(platforms[key])}", len(found), "Playdock starts games for Windows, Linux and macOS.")
        for key, found in by_key(rows, "platform_id").items()
        if key in platforms and platforms[key]["slug"] not in _PLATFORMS
    ]
    editors = sum(str(row["role"]).upper() == "EDITOR" for row in source.rows("users", "role"))
    public = sum(bool(row["is_public"]) for row in source.rows("collections", "is_public"))
    saves = sum(row["rom_id"] not in games for row in source.rows("saves", "rom_id"))
    return rules.omissions(
        *sorted(consoles),
        ("editors", editors, "they become users: there are only users and administrators."),
        ("public collections", public, "only their owners see them here."),
        ("smart collections", source.count("smart_collections"), "they are searches, which the store has."),
        ("saves for other platforms", saves, "they are those of emulators."),
        ("states", source.count("states"), "they are those of emulators."),
        ("ratings of users", sum(bool(row["rating"]) for row in source.rows("rom_user", "rating")), "there are none."),
        ("firmware files", source.count("firmware"), "only emulators need them."),
        ("API tokens", source.count("client_tokens"), rules.TOKENS),
    )
