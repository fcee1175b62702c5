"""Old versions: which they are, and that they are deleted into the trash and nothing else is."""

from typing import Any

import pytest

from features.test_interrupted_file_changes import killed_after_each_step
from library_files import TRASH, content, done, files_of, versions_of, write
from playdock.features.old_versions.rules import VersionInOrder, old_versions
from uploads import managed_library
from world import Caller, World

PATH = "/api/v1/admin/old-versions"


def _version(name: str) -> VersionInOrder:
    """A version such as ``Linux 1.1 on 1.0``."""
    platform, name, *base = name.replace(" on ", " ").split()
    return VersionInOrder(name, platform, base[0] if base else None)


@pytest.mark.parametrize(
    ("versions", "keep", "old"),
    [
        ([], 2, []),
        (["Linux 1", "Linux 2"], 2, []),
        (["Linux 1", "Linux 2", "Linux 3"], 2, ["1"]),
        (["Linux 1", "Windows 2", "Linux 3", "Windows 4", "Linux 5"], 1, ["3", "2", "1"]),
        (["Linux 1", "Linux 2 on 1", "Linux 3 on 2"], 1, []),
        (["Linux 1", "Linux 2 on 1", "Linux 3", "Linux 4"], 2, ["2", "1"]),
        (["Linux 1", "Linux 2 on 1", "Linux 3", "Linux 4"], 3, []),
    ],
)
def test_what_is_not_among_the_newest_of_its_platform_is_old(versions: list[str], keep: int, old: list[str]) -> None:
    assert old_versions([_version(each) for each in versions], keep=keep) == old


def _listed(admin: Caller, keep: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = admin.get(PATH, params={"keep": keep}).json()["versions"]
    return found


@pytest.mark.both_databases
def test_old_versions_are_moved_to_the_trash(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    for version in ("1.0", "1.1", "1.2", "1.3"):
        write(library, f"Doom/{version}/doom")
        world.put(f"Quake/{version}/quake")
    games = {"doom": world.import_game(admin, library, "Doom")}
    games["quake"] = world.import_game(admin, world.library(admin), "Quake")
    for program, game in games.items():
        for version in ("1.0", "1.1", "1.2", "1.3"):
            assert world.import_version(admin, game, version, launch=program)["success"]
    before = versions_of(admin, games["doom"])

    # A library that is only read has no versions to delete.
    found = _listed(admin, 2)
    assert [(each["gameName"], each["name"], each["size"]) for each in found] == [
        ("Doom", "1.1", 9),
        ("Doom", "1.0", 9),
    ]
    # A version whose files are gone is kept, and so is what is no longer old when its turn comes.
    folder = write(library, "Doom/1.1/doom").parent
    folder.rename(folder.with_name("away"))
    ids = [before[name] for name in ("1.3", "1.1", "1.0")]
    task = done(world, admin, admin.delete(PATH, {"keep": 2, "versions": [*ids, "gone"]}))

    assert task["success"]
    assert sorted(versions_of(admin, games["doom"])) == ["1.1", "1.2", "1.3"]
    assert [each["versionName"] for each in admin.get(TRASH).json()] == ["1.0"]
    assert "Doom/1.3/doom" in files_of(library)
    assert content(admin, before["1.3"])[0] == 200
    assert len(versions_of(admin, games["quake"])) == 4
    assert any("1.1" in line for line in task["log"]), task["log"]
    assert (world.person("bob").get(PATH).status_code, admin.get(PATH, params={"keep": 0}).status_code) == (403, 400)


def test_an_interrupted_deletion_goes_on(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    for version in ("1.0", "1.1", "1.2"):
        write(library, f"Doom/{version}/doom")
    game = world.import_game(admin, library, "Doom")
    for version in ("1.0", "1.1", "1.2"):
        assert world.import_version(admin, game, version, launch="doom")["success"]
    with killed_after_each_step() as killed:
        ids = [each["id"] for each in _listed(admin, 1)]
        task = done(world, admin, admin.delete(PATH, {"keep": 1, "versions": ids}))

    assert killed == ["carry_out", "apply", "remove_change"]
    assert sorted(versions_of(admin, game)) == ["1.2"], task
    assert sorted(each["versionName"] for each in admin.get(TRASH).json()) == ["1.0", "1.1"]
