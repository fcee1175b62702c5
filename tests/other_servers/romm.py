"""A database of RomM 4."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, Column, DateTime, Integer, MetaData, String, Table, Text

from .drop import BCRYPT
from .tables import Rows, build, run

_TABLES = MetaData()


def _table(name: str, *columns: Column[Any]) -> None:
    Table(name, _TABLES, Column("id", Integer, primary_key=True), *columns)


def _text(name: str) -> Column[str]:
    return Column(name, String(400))


def _number(name: str) -> Column[int]:
    return Column(name, Integer)


_table(
    "users",
    *(_text(name) for name in ("username", "hashed_password", "email", "role", "avatar_path")),
    Column("enabled", Boolean),
)
_table("platforms", *(_text(name) for name in ("slug", "fs_slug", "name", "custom_name")))
_table(
    "roms",
    *(_number(name) for name in ("platform_id", "igdb_id", "moby_id", "steam_id")),
    *(_text(name) for name in ("fs_name", "fs_path", "name", "path_cover_l")),
    *(Column("summary", Text), Column("igdb_metadata", JSON), Column("path_screenshots", JSON)),
)
_table("collections", _text("name"), _number("user_id"), Column("is_public", Boolean), Column("is_favorite", Boolean))
_table(
    "saves",
    *(_number("rom_id"), _number("user_id"), _text("file_path"), _text("file_name")),
    Column("updated_at", DateTime),
)
_table("rom_notes", _number("rom_id"), _number("user_id"), _text("title"), Column("content", Text))
_table(
    "rom_user",
    *(_number(name) for name in ("rom_id", "user_id", "rating")),
    *(_text("status"), Column("last_played", DateTime), Column("now_playing", Boolean), Column("backlogged", Boolean)),
)
_table(
    "play_sessions",
    *(_number("rom_id"), _number("user_id")),
    *(Column("start_time", DateTime), Column("end_time", DateTime), Column("duration_ms", BigInteger)),
)
Table("collections_roms", _TABLES, Column("collection_id", Integer), Column("rom_id", Integer))

# How long a session is that follows later.
LATER_SECONDS = 600
_PLAYED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).replace(tzinfo=None)
_LATER = _PLAYED + timedelta(days=1)
_SAVES = "users/636865/saves/win/1"
_IGDB = {"genres": ["Puzzle"], "companies": ["Valve"], "first_release_date": 1191974400, "total_rating": "86.5"}
_ROWS: Rows = {
    "users": [
        {"id": 1, "username": "chell", "hashed_password": BCRYPT, "role": "ADMIN", "enabled": True},
        {"id": 2, "username": "wheatley", "hashed_password": None, "role": "VIEWER", "enabled": True},
    ],
    "platforms": [
        {"id": 1, "slug": "win", "fs_slug": "win", "name": "PC (Microsoft Windows)", "custom_name": "PC"},
        {"id": 2, "slug": "snes", "fs_slug": "snes", "name": "Super Nintendo", "custom_name": ""},
    ],
    "roms": [
        {
            "id": 1,
            "platform_id": 1,
            "fs_name": "Portal",
            "fs_path": "roms/win",
            "name": "Portal",
            "igdb_id": 71,
            "igdb_metadata": _IGDB,
            "path_cover_l": "roms/1/1/cover/big.png?ts=1",
            "path_screenshots": [],
        },
        {"id": 2, "platform_id": 2, "fs_name": "Zelda.sfc", "fs_path": "roms/snes", "name": "Zelda"},
    ],
    "collections": [
        {"id": 1, "name": "Favourites", "user_id": 1, "is_public": False, "is_favorite": True},
        {"id": 2, "name": "Short", "user_id": 2, "is_public": True, "is_favorite": False},
    ],
    "collections_roms": [
        {"collection_id": 1, "rom_id": 1},
        {"collection_id": 1, "rom_id": 2},
        {"collection_id": 2, "rom_id": 1},
    ],
    "saves": [
        {"id": 1, "rom_id": 1, "user_id": 1, "file_path": _SAVES, "file_name": "b.zip", "updated_at": _LATER},
        {"id": 2, "rom_id": 1, "user_id": 1, "file_path": _SAVES, "file_name": "a.zip", "updated_at": _PLAYED},
        {"id": 3, "rom_id": 2, "user_id": 1, "file_path": "users/63/saves/snes", "file_name": "zelda.srm"},
    ],
    "rom_notes": [
        {"id": 1, "rom_id": 1, "user_id": 1, "title": "Cake", "content": "It is a lie."},
        {"id": 2, "rom_id": 1, "user_id": 1, "title": "Room 7", "content": None},
    ],
    "rom_user": [
        # The names of the members of an enumeration, as SQLAlchemy stores them.
        {"id": 1, "rom_id": 1, "user_id": 1, "status": "COMPLETED_100", "rating": 9},
        {"id": 2, "rom_id": 1, "user_id": 2, "last_played": _PLAYED, "backlogged": True},
        {"id": 3, "rom_id": 2, "user_id": 2, "last_played": _PLAYED, "now_playing": True},
    ],
    "play_sessions": [
        {"id": 1, "rom_id": 1, "user_id": 1, "start_time": _PLAYED, "duration_ms": 90_500},
        {"id": 2, "rom_id": 1, "user_id": 1, "start_time": _PLAYED, "duration_ms": 60_000},
        {"id": 3, "rom_id": None, "user_id": 1, "start_time": _PLAYED, "duration_ms": 60_000},
    ],
}


def household(address: str) -> None:
    """Build a server with people and games."""
    build(address, _TABLES, _ROWS)


def downgrade(address: str) -> None:
    """Change the database to that of releases 4.0 to 4.3: favorites by name, one note per game, no sessions."""
    run(
        address,
        "ALTER TABLE collections DROP COLUMN is_favorite",
        "ALTER TABLE rom_user ADD COLUMN note_raw_markdown TEXT",
        "UPDATE rom_user SET note_raw_markdown = 'It is a lie.' WHERE id = 1",
        "DROP TABLE rom_notes",
        "DROP TABLE play_sessions",
    )


def upgrade(address: str) -> None:
    """Change the database of an earlier release as 4.4 has: notes get a title, also empty ones."""
    run(
        address,
        "CREATE TABLE rom_notes (id INTEGER PRIMARY KEY, rom_id INTEGER, user_id INTEGER, title VARCHAR, content TEXT)",
        """INSERT INTO rom_notes SELECT id, rom_id, user_id, 'My Note', COALESCE(note_raw_markdown, '')
            FROM rom_user""",
    )


def save_again(address: str, folder: Path) -> None:
    """Replace a save of the administrator, as if the game had been played since."""
    run(address, f"UPDATE saves SET updated_at = '{_LATER + timedelta(days=1)}' WHERE id = 1")
    (folder / _SAVES / "b.zip").write_bytes(b"level 3")


def play_again(address: str) -> None:
    """Add a session of the administrator, as if the game had been played since."""
    again = {"id": 4, "rom_id": 1, "user_id": 1, "start_time": _PLAYED, "duration_ms": LATER_SECONDS * 1000}
    build(address, _TABLES, {"play_sessions": [again]})


def library(folder: Path) -> Path:
    """Make the library."""
    program = folder / "roms/win/Portal/portal.exe"
    program.parent.mkdir(parents=True)
    program.write_bytes(b"MZ" + bytes(60))
    return folder


def saved(folder: Path) -> Path:
    """Make the folder with assets, which has two saves of the administrator."""
    for name, content in (("a.zip", b"level 1"), ("b.zip", b"level 2")):
        file = folder / _SAVES / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder
