"""Each server is read the same from each kind of database, and becomes the neutral form."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from psycopg.types.json import Jsonb
from sqlalchemy.exc import DBAPIError

import mariadb
from databases import PostgresqlDatabases
from playdock.content.programs import Platform
from playdock.domain.play_records.rules import PlayStatus
from playdock.other_servers.errors import SourceUnsupported
from playdock.other_servers.model import Command, SourcePlayRecord, SourceServer, SourceSession
from playdock.other_servers.objects import ObjectFolder
from playdock.other_servers.queries import opened
from playdock.other_servers.readers import read

from . import drop, gamevault, romm

PLAYED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
_Household = Callable[[str], None]


@pytest.fixture
def address(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> str:
    return postgresql_databases.blank(tmp_path)


def _read_from_both(kind: str, household: _Household, address: str, folder: Path) -> SourceServer:
    file = f"sqlite:///{folder}/other.sqlite"
    household(file)
    household(address)
    assert read(kind, file) == read(kind, address)
    return read(kind, file)


def test_gamevault_is_read(address: str, tmp_path: Path) -> None:
    found = _read_from_both("gamevault", gamevault.household, address, tmp_path)

    assert [(each.username, each.admin, each.enabled) for each in found.users] == [
        ("alyx", False, True),
        ("eli", False, False),
        ("gordon", True, True),
    ]
    assert [(each.base_dir, each.ignore) for each in found.libraries] == [
        ("/files", ("Indie [[]2]",)),
        ("/files/Indie [2]", ()),
    ]
    half_life, tux = found.games
    assert (half_life.library, half_life.path, half_life.source, half_life.metadata_id) == (
        *("/files", "Half-Life (1998)"),
        *("IGDB", "231"),
    )
    assert (half_life.facts.developers, half_life.facts.ratings[0].score) == (("Valve",), 0.95)
    version = half_life.versions[0]
    assert (version.platform, version.launches) == (Platform.WINDOWS, (Command("hl.exe", "-console"),))
    assert [each.path for each in half_life.images] == ["media/14"]
    # Its program is unknown.
    assert (tux.facts.name, tux.versions[0].platform) == ("Tux", None)
    assert [(each.user, each.is_default, each.games) for each in found.collections] == [("2", True, ("7",))]
    assert [(each.what, each.count) for each in found.omissions] == [
        ("editors", 1),
        ("deleted users", 1),
        ("games without a file", 1),
        ("birth dates", 1),
        ("age ratings", 1),
        ("saved games of all users", 3),
    ]
    assert found.play_records == (
        SourcePlayRecord("1", "8", status=PlayStatus.PAUSED),
        SourcePlayRecord("2", "7", (SourceSession("gamevault:1", PLAYED, 5400),), PlayStatus.FINISHED),
    )


def test_later_releases_of_gamevault_are_read(address: str, tmp_path: Path) -> None:
    def household(given: str) -> None:
        gamevault.household(given)
        gamevault.upgrade(given)

    found = _read_from_both("gamevault", household, address, tmp_path)

    gamevault.household(f"sqlite:///{tmp_path}/first.sqlite")
    first = read("gamevault", f"sqlite:///{tmp_path}/first.sqlite")
    assert replace(found, omissions=()) == replace(first, omissions=())
    assert {(each.what, each.count) for each in set(found.omissions) - set(first.omissions)} == {
        ("further versions", 1),
        ("parameters of installers", 1),
    }


def test_earlier_releases_of_romm_are_read(address: str, tmp_path: Path) -> None:
    def household(given: str) -> None:
        romm.household(given)
        romm.downgrade(given)

    found = _read_from_both("romm", household, address, tmp_path)

    assert [(each.name, each.is_default) for each in found.collections] == [("Favourites", True), ("Short", False)]
    assert [(each.key, each.note) for each in found.play_records] == [("1:1", "It is a lie."), ("2:1", "")]
    file = f"sqlite:///{tmp_path}/other.sqlite"
    romm.upgrade(file)
    assert [(each.key, each.note) for each in read("romm", file).play_records] == [("1:1", "It is a lie."), ("2:1", "")]


def test_romm_is_read(address: str, tmp_path: Path) -> None:
    found = _read_from_both("romm", romm.household, address, tmp_path)

    assert [(each.username, each.admin, bool(each.password)) for each in found.users] == [
        ("chell", True, True),
        ("wheatley", False, False),
    ]
    assert [(each.name, each.base_dir) for each in found.libraries] == [("PC", "/romm/library/roms/win")]
    (portal,) = found.games
    assert (portal.facts.name, portal.facts.external_ids) == ("Portal", {"IGDB": "71"})
    assert portal.facts.released
    assert portal.facts.released.date.year == 2007
    assert [each.path for each in portal.images] == ["roms/1/1/cover/big.png"]
    assert [(each.name, each.is_default, each.games) for each in found.collections] == [
        ("Favourites", True, ("1",)),
        ("Short", False, ("1",)),
    ]
    assert [(each.what, each.count) for each in found.omissions] == [
        ("games for Super Nintendo", 1),
        ("public collections", 1),
        ("saves for other platforms", 1),
        ("ratings of users", 1),
    ]
    sessions = (SourceSession("romm:1", PLAYED, 90), SourceSession("romm:2", PLAYED, 60))
    last = SourceSession("romm:last-1", PLAYED, 0)
    assert found.play_records == (
        SourcePlayRecord("1", "1", sessions, PlayStatus.COMPLETED, "Cake\nIt is a lie.\n\nRoom 7"),
        SourcePlayRecord("2", "1", (last,), PlayStatus.PLANNED),
    )


@pytest.mark.heavy
def test_romm_is_read_from_mariadb(tmp_path: Path) -> None:
    program = mariadb.find_program()
    if program is None:
        pytest.skip(mariadb.MISSING)
    romm.household(f"sqlite:///{tmp_path}/other.sqlite")
    with mariadb.running_server(program) as address:
        romm.household(address)
        given = address.replace("+pymysql", "")
        assert read("romm", given) == read("romm", f"sqlite:///{tmp_path}/other.sqlite")
        _refuses_to_write(given)


def test_databases_of_other_servers_cannot_be_written(address: str, tmp_path: Path) -> None:
    for given in (address, f"sqlite:///{tmp_path}/other.sqlite"):
        romm.household(given)
        _refuses_to_write(given)


def _refuses_to_write(address: str) -> None:
    with opened(address) as source:
        assert source.count("saves") == 3
        with pytest.raises(DBAPIError, match=r"read.?only|READ.?ONLY"):
            source._connection.exec_driver_sql("DELETE FROM saves")


@pytest.mark.parametrize(
    ("kind", "household"), [("drop", romm.household), ("romm", gamevault.household), ("gamevault", romm.household)]
)
def test_the_database_of_another_server_is_refused(kind: str, household: _Household, tmp_path: Path) -> None:
    household(f"sqlite:///{tmp_path}/other.sqlite")
    before = (tmp_path / "other.sqlite").read_bytes()
    with pytest.raises(SourceUnsupported):
        read(kind, f"sqlite:///{tmp_path}/other.sqlite")
    assert (tmp_path / "other.sqlite").read_bytes() == before


def test_only_files_in_the_folder_with_objects_are_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    folder = tmp_path / "drop"
    (folder / "objects").mkdir(parents=True)
    (folder / "objects" / "cover").write_bytes(b"cover")
    (folder / "objects" / "link").symlink_to(tmp_path / "secret")

    for given in (ObjectFolder(folder), ObjectFolder(folder / "objects")):
        assert given.read("objects/cover") == b"cover"
        for path in ("objects/link", "../secret", "objects/../../secret", str(tmp_path / "secret"), "objects", ""):
            assert given.read(path) is None
    assert ObjectFolder(None).read("objects/cover") is None


def test_drop_0_4_is_read_as_0_3(postgresql_databases: PostgresqlDatabases, address: str, tmp_path: Path) -> None:
    second = postgresql_databases.blank(tmp_path)
    with closing(drop.household(address, release="0.3")), closing(drop.household(second, release="0.4")) as server:
        for key, platform in (("a", "windows"), ("c", "linux"), ("b", "linux")):
            setup = {"setupId": key, "command": f"{key}-setup", "platform": platform, "versionId": "portal-1.0"}
            server.insert("SetupConfiguration", **setup)
        server.insert("GameVersion", gameId="doom", versionId="lost", dropletManifest=Jsonb("{}"), versionIndex=2)
        old, new = read("drop", address), read("drop", second)
    assert (old.name, new.name) == ("Drop 0.3", "Drop 0.4")
    for name in ("users", "libraries", "collections", "invitations", "save_slots"):
        assert getattr(old, name) == getattr(new, name)
    assert [each.facts for each in old.games] == [each.facts for each in new.games]
    # The first setup for the platform of the launch.
    portal = next(each for each in new.games if each.key == "portal")
    assert portal.versions[0].setup == Command("b-setup")
    assert ("additional setup commands", 2) in {(each.what, each.count) for each in new.omissions}
    assert ("versions without a folder", 1) in {(each.what, each.count) for each in new.omissions}
    assert ([each.name for each in new.tokens], [each.name for each in old.tokens]) == (
        ["For ada", "For all", "For bob"],
    ) * 2
    assert (new.tokens[0].expires, old.tokens[0].expires) == (datetime(2090, 1, 1, tzinfo=UTC), None)
    # A command line of 0.4 is one text.
    for before, after in zip(old.games, new.games, strict=True):
        assert [(each.name, each.launches[0]) for each in before.versions] == [
            (each.name, each.launches[0]) for each in after.versions
        ]
