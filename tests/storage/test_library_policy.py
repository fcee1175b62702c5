"""Where libraries may be: apart from the service's own data, and inside of the allowed folders."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from playdock.content.errors import UnusableVersion
from playdock.storage import library_policy
from playdock.storage.backends import Filesystem, GameUnreadable
from playdock.storage.entries import TreeEntry
from playdock.storage.folder_tree import FolderTree
from playdock.storage.library_policy import LibraryPolicy, LocationForbidden
from playdock.storage.locations import VersionLocation


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """A folder with a library, the service's data, and links to them and around them."""
    for folder in ("games/Doom/1.0", "service/data/objects/images", "disk/objects", "other/Doom"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "games/Doom/1.0/doom").touch()
    (tmp_path / "service/data/playdock.sqlite3").touch()
    (tmp_path / "disk/database.sqlite3").touch()
    (tmp_path / "link").symlink_to("service/data")
    (tmp_path / "link around").symlink_to("service")
    (tmp_path / "link inside").symlink_to("service/data/objects/images")
    (tmp_path / "link to games").symlink_to("games")
    return tmp_path


def policy(server: Path, *roots: str) -> LibraryPolicy:
    private = ("service/data", "service/data/objects", "disk/objects", "disk/database.sqlite3", "disk/later")
    return LibraryPolicy([server / path for path in private], [server / root for root in roots])


@pytest.mark.parametrize(
    "base",
    [
        ".",
        "..",
        "service",
        "service/data",
        "service/data/objects",
        "service/data/objects/images",
        "service/../service/data",
        "link",
        "link/objects",
        "link around",
        "link inside",
        "disk",
        "disk/objects",
    ],
)
def test_the_services_own_data_is_no_library(server: Path, base: str) -> None:
    library = Filesystem(server / base, policy(server))
    for use in (library.check, library.games, lambda: library.open_listed("data", "objects")):
        with pytest.raises(LocationForbidden, match="own data"):
            use()


def test_what_is_next_to_the_services_data_may_be_a_library(server: Path) -> None:
    for base in ("games", "link to games", "other"):
        assert Filesystem(server / base, policy(server)).games() == ["Doom"]


def test_data_that_does_not_exist_yet_is_not_put_into_a_library(server: Path) -> None:
    private = LibraryPolicy([server / "games/data/objects"])

    with pytest.raises(LocationForbidden):
        Filesystem(server / "games", private).check()
    Filesystem(server / "other", private).check()


@pytest.mark.parametrize(
    ("base", "roots", "is_allowed"),
    [
        ("games", (), True),
        ("games", ("games",), True),
        ("games/Doom", ("games",), True),
        ("games", ("other", "games"), True),
        ("games", ("link to games",), True),
        ("link to games", ("games",), True),
        ("games", ("games/Doom",), False),
        ("other", ("games",), False),
        ("games-too", ("games",), False),
        ("games", ("missing",), False),
    ],
)
def test_libraries_are_inside_the_allowed_folders(
    server: Path, base: str, roots: tuple[str, ...], *, is_allowed: bool
) -> None:
    (server / "games-too").mkdir()
    library = Filesystem(server / base, policy(server, *roots))
    if is_allowed:
        library.check()
        return
    with pytest.raises(LocationForbidden, match="LIBRARY_ROOTS"):
        library.check()


def test_a_library_whose_folder_is_exchanged_is_checked_again(server: Path) -> None:
    library = Filesystem(server / "link to games", policy(server))
    library.check()
    (server / "link to games").unlink()
    (server / "link to games").symlink_to("service")

    with pytest.raises(LocationForbidden):
        library.check()


def test_a_library_is_checked_again_after_some_time(server: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_policy, "_SECONDS_BETWEEN_CHECKS", 0.0)
    library = Filesystem(server / "games", LibraryPolicy([server / "service/data"]))
    library.check()
    (server / "games").rename(server / "service/data/games")
    (server / "games").symlink_to("service/data/games")

    with pytest.raises(LocationForbidden):
        library.check()


def test_a_file_of_the_service_is_not_imported_under_another_name(server: Path) -> None:
    version = server / "games/Doom/1.0"
    (version / "copy.bin").hardlink_to(server / "service/data/playdock.sqlite3")
    tree = FolderTree(VersionLocation(server / "games", "Doom/1.0", policy(server)))

    with pytest.raises(UnusableVersion, match=r"“copy\.bin” belongs to the service"):
        tree.entries()
    with pytest.raises(UnusableVersion):
        tree.head("copy.bin", length=1)
    assert tree.head("doom", length=1) == b""


@pytest.fixture
def mounted(server: Path) -> Iterator[Path]:
    """The service's data, mounted at several places in the library."""
    places = [server / "games/Doom/1.0/saves", server / "games/Doom/data", server / "games/data", server / "mounted"]
    made: list[Path] = []
    try:
        for place in places:
            place.mkdir()
            command = ["mount", "--bind", str(server / "service/data"), str(place)]
            if subprocess.run(command, check=False, capture_output=True).returncode:
                pytest.skip("This system does not let us mount a folder.")
            made.append(place)
        yield server
    finally:
        for place in made:
            subprocess.run(["umount", str(place)], check=True)


def test_a_mounted_folder_of_the_service_is_recognized(mounted: Path) -> None:
    library = Filesystem(mounted / "games", policy(mounted))
    with pytest.raises(LocationForbidden):
        Filesystem(mounted / "mounted", policy(mounted)).check()
    with pytest.raises(LocationForbidden):
        library.open("Doom", "data")
    with pytest.raises(GameUnreadable, match="own data"):
        library.versions("data")

    tree = library.open("Doom", "1.0")
    with pytest.raises(UnusableVersion, match="“saves” belongs to the service"):
        tree.entries()
    listed = TreeEntry("saves/playdock.sqlite3", 0, 0o644, 0)
    with tree.reader() as reader, pytest.raises(UnusableVersion, match="“saves” belongs to the service"):
        reader.read(listed)
    assert [file.path for file in tree.names()] == ["doom"]
