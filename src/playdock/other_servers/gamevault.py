"""GameVault 13 and later, with PostgreSQL or SQLite.

A game is one file or folder, somewhere below the folder with games. Each folder that has games becomes a flat library.
``gamevault_game.metadata_id`` is the metadata that is shown, which GameVault merges from those of providers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from glob import escape
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from playdock.content.layouts import DEFAULT_VERSION
from playdock.content.programs import Platform
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.play_records.rules import PlayStatus
from playdock.metadata.game_metadata import GameMetadata, RatingFact, Role, TagFact, TagKind, Website
from playdock.metadata.providers import MANUAL
from playdock.other_servers import rules
from playdock.other_servers.errors import SavesUnknown
from playdock.other_servers.model import (
    Command,
    Omission,
    SourceCollection,
    SourceGame,
    SourceImage,
    SourceLibrary,
    SourcePlayRecord,
    SourceSave,
    SourceSaveSlot,
    SourceServer,
    SourceUser,
    SourceVersion,
)
from playdock.other_servers.queries import Row, SourceDatabase, by_key

NAME = "GameVault 13 or later"
_USER, _EDITOR, _ADMIN = 1, 2, 3
_RATING_SCALE = 100.0
# What GameVault 15 has added to all games with metadata of IGDB.
_INSTALLER_PARAMETERS = '/D="%INSTALLDIR%" /S /DIR="%INSTALLDIR%" /SILENT'
_SAVES = "saved games of all users"
# The program of GameVault packs saved games in a way of its own, so devices do not take these for theirs, which are
# in the first slot.
_SLOT = 1
_SAVE_NAME = re.compile(r"([0-9]{1,13})_.*\.zip", re.ASCII)
# A game without an end is played; `UNPLAYED` is what every game is first.
_STATUSES = {
    "PLAYING": PlayStatus.PLAYING,
    "INFINITE": PlayStatus.PLAYING,
    "COMPLETED": PlayStatus.FINISHED,
    "ABORTED_TEMPORARY": PlayStatus.PAUSED,
    "ABORTED_PERMANENT": PlayStatus.ABANDONED,
}
_METADATA = (
    *("id", "provider_slug", "provider_data_id", "title", "release_date", "description", "rating", "url_websites"),
    *("cover_id", "background_id", "launch_executable", "launch_parameters", "installer_executable"),
)
_GAME_TABLE_COLUMNS = ("id", "deleted_at", "file_path", "title", "type", "release_date", "metadata_id")


def read(source: SourceDatabase) -> SourceServer:
    """Return what a GameVault server has.

    Raises:
        SourceUnsupported: the database has not the tables of a supported release.
    """
    source.require(NAME, ("gamevault_user", "username"), ("gamevault_game", "file_path"), ("game_metadata", "title"))
    media = {row["id"]: _media_path(row["file_path"]) for row in source.rows("media", "id", "file_path")}
    existing = [row for row in source.rows("gamevault_game", *_GAME_TABLE_COLUMNS) if row["deleted_at"] is None]
    rows = [row for row in existing if row["file_path"]]
    users = [row for row in _user_rows(source) if row["deleted_at"] is None]
    return SourceServer(
        name="GameVault",
        users=tuple(_user(row, media) for row in sorted(users, key=lambda row: str(row["username"]))),
        libraries=_libraries({_folder(row) for row in rows}),
        games=_games(source, rows, media),
        collections=_bookmarks(source, {row["id"] for row in rows}),
        play_records=_play_records(source, {row["id"] for row in rows}),
        omissions=_omissions(source, users, existing),
    )


def with_saves(server: SourceServer, folder: Path) -> SourceServer:
    """Add the saved games in the folder that GameVault sees as ``/savefiles``.

    They are ``users/USER/games/GAME/MILLISECONDS_INSTALLATION.zip``; the time is that of the upload.

    Raises:
        SavesUnknown: it is another folder.
        OSError: it cannot be read.
    """
    people = folder / "users"
    if not people.is_dir():
        raise SavesUnknown(folder, "/savefiles")
    games = (game for user in _folders_in(people) for game in _folders_in(user / "games"))
    slots = (
        SourceSaveSlot(game.parts[-3], game.name, _SLOT, saves) for game in games if (saves := _saves(game, folder))
    )
    omissions = tuple(each for each in server.omissions if each.what != _SAVES)
    return msgspec.structs.replace(server, save_slots=tuple(slots), omissions=omissions)


def _folders_in(folder: Path) -> list[Path]:
    """Return the folders in a folder, which may not exist."""
    return sorted(each for each in folder.iterdir() if each.is_dir()) if folder.is_dir() else []


def _saves(game: Path, folder: Path) -> tuple[SourceSave, ...]:
    """Return the saves of a user for a game, oldest first."""
    times = {file: int(found[1]) for file in game.iterdir() if (found := _SAVE_NAME.fullmatch(file.name))}
    by_age = sorted(times, key=lambda file: (times[file], file.name))
    paths = (file.relative_to(folder).as_posix() for file in by_age)
    return tuple(
        SourceSave(path, path, "", number, datetime.fromtimestamp(times[file] / 1000, UTC), device="GameVault")
        for number, (file, path) in enumerate(zip(by_age, paths, strict=True))
    )


def _media_path(path: Any) -> str:
    """Return where an image is in the folder with media, which GameVault sees as ``/media``."""
    return str(path).lstrip("/") if path else ""


def _user_rows(source: SourceDatabase) -> list[Row]:
    names = ("id", "deleted_at", "username", "password", "email", "first_name", "last_name", "activated", "role")
    return source.rows("gamevault_user", *names, "avatar_id")


def _user(row: Row, media: Mapping[Any, str]) -> SourceUser:
    return SourceUser(
        key=str(row["id"]),
        username=rules.line(row["username"]),
        display_name=rules.line(f"{row['first_name'] or ''} {row['last_name'] or ''}"),
        email=rules.line(row["email"]),
        admin=_role(row) >= _ADMIN,
        enabled=bool(row["activated"]),
        password=str(row["password"] or ""),
        picture=media.get(row["avatar_id"], ""),
    )


def _role(row: Row) -> int:
    """Return a role, which PostgreSQL returns as text."""
    found = rules.number(row["role"])
    return _USER if found is None else int(found)


def _folder(row: Row) -> str:
    return str(PurePosixPath(row["file_path"]).parent)


def _libraries(folders: set[str]) -> tuple[SourceLibrary, ...]:
    """Return a library for each folder; folders in it that lead to other libraries are no games."""
    return tuple(
        SourceLibrary(
            key=folder,
            name=PurePosixPath(folder).name or "Games",
            base_dir=folder,
            layout=BackendKind.FLAT_FILESYSTEM,
            ignore=rules.unique(sorted(escape(name) for name in _names_below(folder, folders))),
        )
        for folder in sorted(folders)
    )


def _names_below(folder: str, others: Iterable[str]) -> Iterable[str]:
    base = PurePosixPath(folder)
    paths = (PurePosixPath(each) for each in others)
    return (path.relative_to(base).parts[0] for path in paths if path != base and path.is_relative_to(base))


def _games(source: SourceDatabase, rows: Sequence[Row], media: Mapping[Any, str]) -> tuple[SourceGame, ...]:
    metadata = {row["id"]: row for row in source.rows("game_metadata", *_METADATA)}
    between = source.rows("gamevault_game_provider_metadata_game_metadata", "gamevault_game_id", "game_metadata_id")
    providers = by_key(between, "gamevault_game_id")
    names = {kind: _names(source, kind) for kind in ("developer", "publisher", "genre", "tag")}
    games = []
    for row in sorted(rows, key=lambda row: str(row["file_path"])):
        shown = metadata.get(row["metadata_id"], dict.fromkeys(_METADATA))
        known = [
            metadata[key] for each in providers.get(row["id"], ()) if (key := each["game_metadata_id"]) in metadata
        ]
        ids = _external_ids([*known, shown])
        games.append(
            SourceGame(
                key=str(row["id"]),
                library=_folder(row),
                path=PurePosixPath(row["file_path"]).name,
                facts=_facts(row, shown, names, ids),
                source=next(iter(ids), MANUAL),
                metadata_id=next(iter(ids.values()), ""),
                images=_images(shown, media),
                versions=(_version(row, shown),),
            )
        )
    return tuple(games)


def _names(source: SourceDatabase, kind: str) -> dict[Any, tuple[str, ...]]:
    """Return the names of a kind by the id of the metadata that has them."""
    named = {row["id"]: rules.line(row["name"]) for row in source.rows(f"{kind}_metadata", "id", "name")}
    between = source.rows(f"game_metadata_{kind}s_{kind}_metadata", "game_metadata_id", f"{kind}_metadata_id")
    return {
        key: rules.unique([named[row[f"{kind}_metadata_id"]] for row in found if named.get(row[f"{kind}_metadata_id"])])
        for key, found in by_key(between, "game_metadata_id").items()
    }


def _external_ids(rows: Iterable[Row]) -> dict[str, str]:
    found = {}
    for row in rows:
        provider = rules.provider(row["provider_slug"])
        if provider != MANUAL and row["provider_data_id"]:
            found[provider] = rules.line(row["provider_data_id"])
    return found


def _facts(
    row: Row, shown: Row, names: Mapping[str, Mapping[Any, tuple[str, ...]]], ids: Mapping[str, str]
) -> GameMetadata:
    of_kind = {kind: found.get(shown["id"], ()) for kind, found in names.items()}
    rating = shown["rating"]
    return GameMetadata(
        name=rules.line(shown["title"]) or rules.line(row["title"]) or PurePosixPath(row["file_path"]).stem,
        description=rules.text(shown["description"]),
        released=rules.released(shown["release_date"]) or rules.released(row["release_date"]),
        developers=of_kind["developer"],
        publishers=of_kind["publisher"],
        tags=(
            *(TagFact(TagKind.GENRE, name) for name in of_kind["genre"]),
            *(TagFact(TagKind.KEYWORD, name) for name in of_kind["tag"]),
        ),
        ratings=() if rating is None else (RatingFact("GameVault", min(max(rating / _RATING_SCALE, 0.0), 1.0)),),
        websites=tuple(Website("official", url) for url in rules.urls(shown["url_websites"])),
        external_ids=ids,
    )


def _images(shown: Row, media: Mapping[Any, str]) -> tuple[SourceImage, ...]:
    found = ((Role.COVER, media.get(shown["cover_id"], "")), (Role.BANNER, media.get(shown["background_id"], "")))
    return tuple(SourceImage(role, path) for role, path in found if path)


def _version(row: Row, shown: Row) -> SourceVersion:
    """Return the only version of a game; its program is guessed if GameVault does not know it."""
    kind = str(row["type"])
    is_setup = kind == "WINDOWS_SETUP"
    setup = rules.command(shown["installer_executable"]) if is_setup else Command()
    launch = Command(rules.program_path(rules.line(shown["launch_executable"])), rules.line(shown["launch_parameters"]))
    is_known = bool(setup.program if is_setup else launch.program)
    system = Platform.LINUX if kind.startswith("LINUX") else Platform.WINDOWS
    return SourceVersion(
        name=DEFAULT_VERSION,
        platform=system if is_known and kind != "UNDETECTABLE" else None,
        launches=() if is_setup else rules.filled(launch),
        setup=setup,
        only_setup=is_setup,
    )


def _bookmarks(source: SourceDatabase, games: set[Any]) -> tuple[SourceCollection, ...]:
    """Return the bookmarks of each user, which become the user's own library."""
    rows = by_key(source.rows("bookmark", "gamevault_user_id", "gamevault_game_id"), "gamevault_user_id")
    return tuple(
        SourceCollection(
            key=f"bookmarks-{user}",
            user=str(user),
            name="",
            is_default=True,
            games=tuple(str(each["gamevault_game_id"]) for each in found if each["gamevault_game_id"] in games),
        )
        for user, found in rows.items()
    )


def _play_records(source: SourceDatabase, games: set[Any]) -> tuple[SourcePlayRecord, ...]:
    """Return play times, and states as statuses."""
    names = ("id", "deleted_at", "user_id", "game_id", "minutes_played", "state", "last_played_at")
    return rules.play_records(
        SourcePlayRecord(
            user=str(row["user_id"]),
            game=str(row["game_id"]),
            sessions=rules.total(f"gamevault:{row['id']}", _seconds(row), row["last_played_at"]),
            status=_STATUSES.get(str(row["state"])),
        )
        for row in source.rows("progress", *names)
        if row["deleted_at"] is None and row["game_id"] in games
    )


def _seconds(row: Row) -> float:
    return (rules.number(row["minutes_played"]) or 0) * 60


def _omissions(source: SourceDatabase, users: Sequence[Row], games: Sequence[Row]) -> tuple[Omission, ...]:
    roles = [_role(row) for row in users]
    versions = sum(row["deleted_at"] is None for row in source.rows("game_version", "deleted_at"))
    born = sum(bool(row["birth_date"]) for row in source.rows("gamevault_user", "birth_date"))
    parameters = [row["installer_parameters"] for row in source.rows("game_metadata", "installer_parameters")]
    rated = sum(bool(row["age_rating"]) for row in source.rows("game_metadata", "age_rating"))
    return rules.omissions(
        ("editors", roles.count(_EDITOR), "they become users: there are only users and administrators."),
        ("guests", sum(role < _USER for role in roles), "they become users, who can download everything."),
        (
            "further versions",
            max(versions - len(games), 0),
            "put all versions of a game into one folder, and import them from there.",
        ),
        ("API keys", sum(bool(row["api_key"]) for row in source.rows("gamevault_user", "api_key")), rules.TOKENS),
        ("deleted games", source.count("gamevault_game") - len(games), "they are deleted at GameVault, too."),
        ("deleted users", source.count("gamevault_user") - len(users), "they are deleted at GameVault, too."),
        ("games without a file", sum(not row["file_path"] for row in games), "their folders are unknown."),
        (
            "birth dates",
            born,
            "Playdock has no parental control: every user sees and downloads all games, whatever their age.",
        ),
        (
            "parameters of installers",
            sum(bool(each) and each != _INSTALLER_PARAMETERS for each in parameters),
            "they are written for GameVault's own program.",
        ),
        ("age ratings", rated, "GameVault does not say which organization they are from."),
        (
            _SAVES,
            len(users),
            "they are files. Name the folder that GameVault sees as /savefiles with --saves.",
        ),
    )
