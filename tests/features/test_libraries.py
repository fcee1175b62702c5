"""Libraries: which places are taken, which are refused and why, and what becomes of one that goes away."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from audit import told_of
from playdock.storage.backends import Filesystem, FlatFilesystem, NotListed
from playdock.storage.library_policy import LocationUnusable
from world import Caller, World

SOURCES = "/api/v1/admin/library/sources"
NOBODY = 65534


def add(admin: Caller, place: object, *, backend: str = "Filesystem") -> httpx2.Response:
    return admin.post(SOURCES, {"name": "Games", "backend": backend, "options": {"baseDir": str(place)}})


@contextmanager
def without_permissions() -> Iterator[None]:
    """Be a user who may nothing, where the tests run as root, who may everything."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that users without any rights reach too, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        Path(folder).chmod(0o755)


# --- Over HTTP ---


def test_a_library_is_returned_with_the_documented_fields(world: World) -> None:
    admin = world.admin()
    world.games.mkdir()

    made = add(admin, world.games)

    library: dict[str, Any] = made.json()
    assert made.status_code == 201
    assert library == {
        "id": library["id"],
        "name": "Games",
        "backend": "Filesystem",
        "options": {"baseDir": str(world.games), "managed": False},
        "rules": {"importGames": False, "importVersions": False, "ignore": []},
        "working": True,
    }
    assert admin.get(SOURCES).json() == [library]


@pytest.mark.parametrize("backend", ["Filesystem", "FlatFilesystem"])
@pytest.mark.parametrize(
    ("place", "reason"), [("missing", "There is no such folder."), ("file", "This is the path of a file.")]
)
def test_an_unusable_folder_is_rejected_with_the_reason(world: World, backend: str, place: str, reason: str) -> None:
    world.put("file")

    refused = add(world.admin(), world.games / place, backend=backend)

    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == "options.baseDir"
    assert refused.json()["errors"][0]["detail"].startswith(reason)
    assert str(world.folder) not in refused.text


@pytest.mark.parametrize("place", ["games", "./games", "../games", "", "~/games", "file:///games", "/a\0b", "/" * 4097])
def test_a_path_that_is_not_absolute_is_rejected(world: World, place: str) -> None:
    admin = world.admin()

    refused = add(admin, place)

    assert refused.status_code == 400
    assert next(fault["field"] for fault in refused.json()["errors"]) == "options.baseDir"
    assert admin.get(SOURCES).json() == []
    assert str(Path.cwd()) not in refused.text


def test_a_path_with_a_name_too_long_for_file_systems_is_rejected(world: World) -> None:
    assert add(world.admin(), "/" + "a" * 300).status_code == 400


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"backend": "S4"}, "backend"),
        ({"name": ""}, "name"),
        ({"name": "n" * 129}, "name"),
        ({"options": {}}, "options.baseDir"),
        ({"options": {"baseDir": 7}}, "options.baseDir"),
        ({"owner": "me"}, "owner"),
    ],
)
def test_invalid_fields_are_rejected_by_name(world: World, change: dict[str, Any], field: str) -> None:
    world.games.mkdir()
    draft = {"name": "Games", "backend": "Filesystem", "options": {"baseDir": str(world.games)}}

    refused = world.admin().post(SOURCES, {**draft, **change})

    assert (refused.status_code, [fault["field"] for fault in refused.json()["errors"]]) == (400, [field])


def test_a_library_can_be_renamed_and_moved(world: World) -> None:
    admin = world.admin()
    library = world.library(admin)
    other = world.folder / "other"
    (other / "Doom").mkdir(parents=True)

    changed = admin.patch(SOURCES, {"id": library["id"], "name": "ForeignAddress", "options": {"baseDir": str(other)}})

    assert changed.json() == {
        **library,
        "name": "ForeignAddress",
        "options": {"baseDir": str(other), "managed": False},
    }
    assert world.unimported(admin) == ["Doom"]


def test_an_empty_update_changes_nothing(world: World) -> None:
    admin = world.admin()
    library = world.library(admin)
    assert admin.patch(SOURCES, {"id": library["id"]}).json() == library


def test_a_library_cannot_be_moved_to_an_unusable_folder(world: World) -> None:
    admin = world.admin()
    library = world.library(admin)

    refused = admin.patch(SOURCES, {"id": library["id"], "options": {"baseDir": str(world.folder / "missing")}})

    assert refused.status_code == 400
    assert admin.get(SOURCES).json() == [library]


def test_a_library_without_games_can_be_removed(world: World) -> None:
    admin = world.admin()
    library = world.library(admin)

    removed = admin.delete(SOURCES, {"id": library["id"]})

    assert (removed.status_code, removed.content, admin.get(SOURCES).json()) == (204, b"", [])


def test_a_library_with_imported_games_cannot_be_removed(world: World) -> None:
    admin = world.admin()
    world.put("Doom/1.0/doom")
    library = world.library(admin)
    world.import_game(admin, library, "Doom")

    refused = admin.delete(SOURCES, {"id": library["id"]})

    assert (refused.status_code, refused.json()["type"]) == (409, "library-in-use")
    assert admin.get(SOURCES).json() == [library]


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_an_unknown_library_is_not_found(world: World, method: str) -> None:
    answer = world.admin().request(method, SOURCES, json={"id": "nothing"})
    assert (answer.status_code, answer.json()["type"]) == (404, "library-unknown")


@pytest.mark.parametrize(
    ("method", "acl"), [("GET", "read"), ("POST", "new"), ("PATCH", "update"), ("DELETE", "delete")]
)
def test_every_call_requires_its_own_permission(world: World, method: str, acl: str) -> None:
    admin = world.admin()
    others = {"read", "new", "update", "delete"} - {acl}
    program = world.token_of(admin, *(f"system:library:sources:{other}" for other in sorted(others)))

    assert program.request(method, SOURCES, json={}).status_code == 403
    assert world.any_user().request(method, SOURCES, json={}).status_code == 401


def test_a_library_whose_folder_disappears_is_kept_but_not_working(world: World) -> None:
    admin = world.admin()
    world.put("Doom/1.0/doom")
    library = world.library(admin)
    game = world.import_game(admin, library, "Doom")
    world.games.rename(world.folder / "elsewhere")

    overview = admin.get("/api/v1/admin/library").json()

    assert admin.get(SOURCES).json() == [{**library, "working": False}]
    assert world.unimported(admin) == []
    assert [(each["game"]["id"], each["status"]) for each in overview["games"]] == [(game, "offline")]
    assert overview["unimportedGames"] == {library["id"]: []}


def test_a_library_works_again_when_its_folder_is_back(world: World) -> None:
    admin = world.admin()
    world.put("Doom/1.0/doom")
    library = world.library(admin)
    world.games.rename(world.folder / "elsewhere")
    assert world.unimported(admin) == []

    (world.folder / "elsewhere").rename(world.games)

    assert (world.unimported(admin), admin.get(SOURCES).json()) == (["Doom"], [library])


def test_imports_from_an_unavailable_library_are_rejected_with_503(world: World) -> None:
    admin = world.admin()
    world.put("Doom/1.0/doom")
    library = world.library(admin)
    game = world.import_game(admin, library, "Doom")
    shutil.rmtree(world.games)

    calls = (
        admin.post("/api/v1/admin/import/game", {"library": library["id"], "path": "Quake"}),
        admin.get("/api/v1/admin/import/version", params={"id": game}),
        admin.get("/api/v1/admin/import/version/preload", params={"id": game, "version": "1.0"}),
        admin.post(
            "/api/v1/admin/import/version",
            {"id": game, "version": "1.0", "platform": "Linux", "delta": False, "launch": "doom"},
        ),
    )

    assert [(call.status_code, call.json()["type"]) for call in calls] == [(503, "library-unavailable")] * 4
    assert not [call.text for call in calls if str(world.folder) in call.text]


def test_the_games_of_two_libraries_are_listed_together(world: World) -> None:
    admin = world.admin()
    world.put("Doom/1.0/doom")
    first = world.library(admin)
    (world.folder / "flat/Quake").mkdir(parents=True)
    second = world.library(admin, world.folder / "flat", backend="FlatFilesystem")

    entries = admin.get("/api/v1/admin/import/game").json()["unimportedGames"]

    assert [(each["game"], each["library"]) for each in entries] == [("Doom", first), ("Quake", second)]


def test_listing_ten_thousand_games_takes_one_scan_per_library(world: World) -> None:
    admin = world.admin()
    for number in range(10_000):
        (world.games / f"Game {number}").mkdir(parents=True)
    world.library(admin)
    scanned: list[Path] = []

    with told_of("os.scandir", scanned.append):
        listed = world.unimported(admin)

    # Other threads, such as that of a task, list other folders.
    scanned = [each for each in map(Path, scanned) if each.is_relative_to(world.games)]
    assert (len(listed), scanned) == (10_000, [world.games])


# --- What is listed ---

NAMES = [
    "Doom",
    "doom",
    "DOOM",
    "Pok\u00e9mon",  # composed
    "Poke\u0301mon",  # decomposed: another name to Linux
    "\u30c9\u30e9\u30b4\u30f3\u30af\u30a8\u30b9\u30c8",
    "100% Orange_Juice",
    'It\'s "quoted"',
    "back\\slash",
    "line\nbreak",
    "con",
    "a;b|c&d $(e) `f`",
    "..twodots",
    "\U0001f3ae",
]


def test_games_may_have_any_folder_name(tmp_path: Path) -> None:
    names = [name for name in NAMES if not name.startswith(".")]
    for name in names:
        (tmp_path / name).mkdir()
    assert Filesystem(tmp_path).games() == sorted(names)


@pytest.mark.parametrize("name", [".git", "..twodots", ".Trash-1000"])
def test_hidden_folders_are_not_listed(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert Filesystem(tmp_path).games() == FlatFilesystem(tmp_path).games() == []


def test_files_that_are_not_archives_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / "Doom").mkdir()
    (tmp_path / "notes.txt").touch()
    (tmp_path / "Doom/readme.txt").touch()
    (tmp_path / "Doom/1.0.zip").touch()
    os.mkfifo(tmp_path / "Doom/pipe.zip")

    library = Filesystem(tmp_path)

    assert (library.games(), library.versions("Doom")) == (["Doom"], ["1.0.zip"])


def test_names_that_are_not_utf8_are_not_listed(tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/caf\xe9")  # noqa: PTH102 - a name that pathlib would take only as a surrogate
    (tmp_path / "Doom").mkdir()
    assert Filesystem(tmp_path).games() == ["Doom"]


@pytest.mark.parametrize("target", ["/etc", "..", "../../..", "../outside", "/nowhere", "leaving"])
def test_symlinks_out_of_the_library_are_not_listed(tmp_path: Path, target: str) -> None:
    (tmp_path / "outside").mkdir()
    base = tmp_path / "base"
    base.mkdir()
    (base / "leaving").symlink_to(target)
    assert Filesystem(base).games() == FlatFilesystem(base).games() == []


def test_symlinks_inside_the_library_are_listed(tmp_path: Path) -> None:
    (tmp_path / "Doom/1.0").mkdir(parents=True)
    (tmp_path / "Ultimate Doom").symlink_to("Doom")
    (tmp_path / "Doom/latest").symlink_to("1.0")

    library = Filesystem(tmp_path)

    assert (library.games(), library.versions("Ultimate Doom")) == (["Doom", "Ultimate Doom"], ["1.0", "latest"])


def test_a_library_folder_may_be_a_symlink(tmp_path: Path) -> None:
    (tmp_path / "disk/Doom/1.0").mkdir(parents=True)
    (tmp_path / "disk/Copy").symlink_to("Doom")
    (tmp_path / "games").symlink_to("disk")
    assert Filesystem(tmp_path / "games").games() == ["Copy", "Doom"]


def test_every_folder_and_archive_of_a_flat_library_is_a_game(tmp_path: Path) -> None:
    (tmp_path / "Doom").mkdir()
    (tmp_path / "Quake.ZIP").touch()
    (tmp_path / "notes.txt").touch()

    library = FlatFilesystem(tmp_path)

    assert (library.games(), library.versions("Quake.ZIP")) == (["Doom", "Quake.ZIP"], ["default"])


@pytest.mark.parametrize("name", ["", ".", "..", "../outside", "/etc", "Doom/1.0", "Doom/", "doom", "Doom\0", "*"])
def test_a_name_that_is_not_listed_cannot_be_opened(tmp_path: Path, name: str) -> None:
    (tmp_path / "base/Doom/1.0").mkdir(parents=True)
    (tmp_path / "outside/1.0").mkdir(parents=True)
    library, flat = Filesystem(tmp_path / "base"), FlatFilesystem(tmp_path / "base")
    for look in (
        lambda: library.versions(name),
        lambda: library.open(name, "1.0"),
        lambda: library.open("Doom", name),
        lambda: flat.open(name, "default"),
        lambda: flat.open("Doom", name),
    ):
        with pytest.raises(NotListed):
            look()


def test_an_unreadable_folder_is_distinguished_from_a_missing_one(public: Path) -> None:
    (public / "closed").mkdir(mode=0o700 if os.geteuid() == 0 else 0o300)
    with without_permissions():
        with pytest.raises(LocationUnusable, match="is not readable"):
            Filesystem(public / "closed").check()
        with pytest.raises(LocationUnusable, match="no such folder"):
            Filesystem(public / "missing").check()


def test_unreadable_games_do_not_hide_others(public: Path) -> None:
    (public / "closed").mkdir(mode=0o700 if os.geteuid() == 0 else 0o300)
    (public / "open/1.0").mkdir(parents=True)
    with without_permissions():
        assert Filesystem(public).games() == ["closed", "open"]
        assert Filesystem(public).versions("open") == ["1.0"]
        with pytest.raises(LocationUnusable, match="is not readable"):
            Filesystem(public).versions("closed")


def test_listing_does_not_access_the_games(public: Path) -> None:
    """In a folder that may be read and not entered, names can be had, and any look at what they name fails."""
    for name in ("Doom", "Quake"):
        (public / name).mkdir()
    public.chmod(0o744 if os.geteuid() == 0 else 0o400)
    with without_permissions():
        assert Filesystem(public).games() == ["Doom", "Quake"]
