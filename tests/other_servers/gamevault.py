"""A database of GameVault 13, as TypeORM creates it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Boolean, Column, DateTime, Float, Integer, MetaData, String, Table

from .drop import BCRYPT
from .tables import Rows, build, run

_TABLES = MetaData()


def _entity(name: str, *columns: Column[Any]) -> None:
    dates = (Column(each, DateTime) for each in ("created_at", "updated_at", "deleted_at"))
    Table(name, _TABLES, Column("id", Integer, primary_key=True), *dates, Column("entity_version", Integer), *columns)


def _between(name: str, first: str, second: str) -> None:
    Table(name, _TABLES, Column(first, Integer, primary_key=True), Column(second, Integer, primary_key=True))


def _text(name: str) -> Column[str]:
    return Column(name, String)


_entity("media", _text("source_url"), _text("file_path"), _text("type"), Column("uploader_id", Integer))
_entity(
    "gamevault_user",
    *(_text(name) for name in ("username", "password", "socket_secret", "email", "first_name", "last_name", "role")),
    *(
        _text("api_key"),
        Column("birth_date", DateTime),
        Column("activated", Boolean),
        Column("avatar_id", Integer),
        Column("background_id", Integer),
    ),
)
_entity(
    "game_metadata",
    *(_text(name) for name in ("provider_slug", "provider_data_id", "provider_data_url", "title", "description")),
    *(_text(name) for name in ("url_screenshots", "url_websites", "launch_parameters", "launch_executable")),
    *(_text("installer_executable"), Column("release_date", DateTime), Column("rating", Float)),
    *(Column(name, Integer) for name in ("age_rating", "cover_id", "background_id")),
)
_entity(
    "gamevault_game",
    *(_text(name) for name in ("file_path", "title", "sort_title", "version", "type")),
    *(Column("size", Integer), Column("release_date", DateTime)),
    *(Column("user_metadata_id", Integer), Column("metadata_id", Integer)),
)
_entity(
    "progress",
    *(Column(name, Integer) for name in ("minutes_played", "user_id", "game_id")),
    *(_text("state"), Column("last_played_at", DateTime)),
)
for kind in ("developer", "publisher", "genre", "tag"):
    _entity(f"{kind}_metadata", _text("provider_slug"), _text("provider_data_id"), _text("name"))
    _between(f"game_metadata_{kind}s_{kind}_metadata", "game_metadata_id", f"{kind}_metadata_id")
_between("gamevault_game_provider_metadata_game_metadata", "gamevault_game_id", "game_metadata_id")
_between("bookmark", "gamevault_user_id", "gamevault_game_id")

_PLAYED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).replace(tzinfo=None)
_HALF_LIFE = {"title": "Half-Life", "description": "# Run", "rating": 95.0, "url_websites": "https://hl.example"}
_ROWS: Rows = {
    "media": [{"id": 14, "file_path": "/media/14", "type": "image/png"}],
    "gamevault_user": [
        {"id": 1, "username": "gordon", "password": BCRYPT, "role": "3", "activated": True, "first_name": "Gordon"},
        {"id": 2, "username": "alyx", "password": BCRYPT, "role": "2", "activated": True, "email": "alyx@example.org"},
        {"id": 3, "username": "eli", "password": BCRYPT, "role": "1", "activated": False, "birth_date": _PLAYED},
        {"id": 4, "username": "kleiner", "password": BCRYPT, "role": "1", "activated": True, "deleted_at": _PLAYED},
    ],
    "game_metadata": [
        {"id": 5, "provider_slug": "igdb", "provider_data_id": "231", "title": "Half-Life", "age_rating": 16},
        {"id": 6, **_HALF_LIFE, "cover_id": 14, "launch_executable": "hl.exe", "launch_parameters": "-console"},
    ],
    "gamevault_game": [
        {"id": 7, "file_path": "/files/Half-Life (1998)", "type": "WINDOWS_PORTABLE", "metadata_id": 6},
        {"id": 8, "file_path": "/files/Indie [2]/Tux", "title": "Tux", "type": "LINUX_PORTABLE"},
        {"id": 9, "file_path": None, "title": "Lost", "type": "UNDETECTABLE"},
    ],
    "progress": [
        {"id": 1, "minutes_played": 90, "user_id": 2, "game_id": 7, "state": "COMPLETED", "last_played_at": _PLAYED},
        {"id": 2, "minutes_played": 0, "user_id": 2, "game_id": 8, "state": "UNPLAYED"},
        {"id": 3, "minutes_played": 0, "user_id": 1, "game_id": 8, "state": "ABORTED_TEMPORARY"},
        {"id": 4, "minutes_played": 5, "user_id": 1, "game_id": 7, "state": "PLAYING", "deleted_at": _PLAYED},
    ],
    "developer_metadata": [{"id": 9, "name": "Valve"}],
    "genre_metadata": [{"id": 9, "name": "Shooter"}],
    "game_metadata_developers_developer_metadata": [{"game_metadata_id": 6, "developer_metadata_id": 9}],
    "game_metadata_genres_genre_metadata": [{"game_metadata_id": 6, "genre_metadata_id": 9}],
    "gamevault_game_provider_metadata_game_metadata": [{"gamevault_game_id": 7, "game_metadata_id": 5}],
    "bookmark": [{"gamevault_user_id": 2, "gamevault_game_id": 7}],
}


def household(address: str) -> None:
    """Build a server with people and games."""
    build(address, _TABLES, _ROWS)


def upgrade(address: str) -> None:
    """Change the database as the releases after 13 have: parameters of installers, versions, and a row of its own."""
    run(
        address,
        "ALTER TABLE game_metadata ADD COLUMN installer_parameters VARCHAR",
        """UPDATE game_metadata SET installer_parameters = '/D="%INSTALLDIR%" /S /DIR="%INSTALLDIR%" /SILENT'
            WHERE provider_slug = 'igdb'""",
        "UPDATE game_metadata SET installer_parameters = '/VERYSILENT' WHERE id = 6",
        "CREATE TABLE game_version (id INTEGER PRIMARY KEY, deleted_at TIMESTAMP, game_id INTEGER, file_path VARCHAR)",
        "INSERT INTO game_version VALUES (1, NULL, 7, '/files/Half-Life (1998)'), (2, NULL, 8, '/files/Indie [2]/Tux')",
        "INSERT INTO game_version VALUES (3, NULL, 7, '/files/Half-Life (1999)'), (4, NULL, 9, '')",
        "CREATE TABLE gamevault_server (id INTEGER PRIMARY KEY, uuid VARCHAR)",
    )


def library(folder: Path) -> Path:
    """Make the folder with games."""
    for place in ("Half-Life (1998)/hl.exe", "Indie [2]/Tux/tux.exe"):
        program = folder / place
        program.parent.mkdir(parents=True)
        program.write_bytes(b"MZ" + bytes(60))
    return folder


def saved(folder: Path) -> Path:
    """Make the folder with saved games, which has two of a user, another file, and one of a deleted user."""
    installation = "7c0d0b1e-6f4b-4d0e-9c55-0d7a3a3f2a10"
    for place, content in (
        (f"2/games/7/1767323045000_{installation}.zip", b"level 1"),
        (f"2/games/7/1767409445000_{installation}.zip", b"level 2"),
        ("2/games/7/notes.txt", b"mine"),
        ("2/games/.DS_Store", b"other"),
        ("2/profile/picture.png", b"other"),
        (f"4/games/7/1767409445000_{installation}.zip", b"gone"),
    ):
        file = folder / "users" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder
