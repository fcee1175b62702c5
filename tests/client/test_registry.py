"""Which installations there are on a machine, and where things lie."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from playdock_client.client_folders import ClientFolders, folder_name
from playdock_client.registry import Registry, RegistryEntry


def entry(folder: Path, name: str = "Doom") -> RegistryEntry:
    return RegistryEntry(folder=str(folder), server="https://a.example", game="1", name=name)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path / "installations")


def test_installations_are_listed_by_name(registry: Registry, tmp_path: Path) -> None:
    entries = [entry(tmp_path / "1", "zork"), entry(tmp_path / "2", "Abe"), entry(tmp_path / "3", "doom")]
    for each in entries:
        registry.add(each)

    assert [each.name for each in registry.entries()] == ["Abe", "doom", "zork"]


def test_a_folder_is_listed_once(registry: Registry, tmp_path: Path) -> None:
    registry.add(entry(tmp_path, "Doom"))
    registry.add(entry(tmp_path, "Quake"))

    assert registry.entries() == [entry(tmp_path, "Quake")]


def test_an_entry_can_be_removed_twice(registry: Registry, tmp_path: Path) -> None:
    registry.add(entry(tmp_path))
    registry.remove(tmp_path)
    registry.remove(tmp_path)

    assert registry.entries() == []


def test_concurrent_additions_are_all_kept(registry: Registry, tmp_path: Path) -> None:
    entries = [entry(tmp_path / str(number)) for number in range(40)]

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(registry.add, entries))

    assert set(registry.entries()) == set(entries)


def test_invalid_documents_are_ignored(registry: Registry, tmp_path: Path) -> None:
    registry.add(entry(tmp_path))
    (registry.folder / "broken.json").write_text("{")
    (registry.folder / "other.json").write_bytes(b"\xff")

    assert registry.entries() == [entry(tmp_path)]


def test_one_environment_variable_sets_all_folders(tmp_path: Path) -> None:
    folders = ClientFolders.from_environment({"PLAYDOCK_CLIENT_HOME": str(tmp_path)})

    assert folders.credentials == tmp_path / "credentials.json"
    assert folders.game("Doom") == tmp_path / "games" / "Doom"
    assert folders.prefix("../x") == tmp_path / "prefixes" / "x"


def test_the_default_folders_follow_the_conventions_of_the_platform() -> None:
    folders = ClientFolders.from_environment({})

    assert folders.credentials.parent.name == "playdock-client"
    assert folders.game("Doom").parent.parent.name == "playdock-client"


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("Doom", "Doom"),
        ("Half-Life 2: Episode One", "Half-Life 2 Episode One"),
        ("../../etc", "etc"),
        ("a/b\\c", "a b c"),
        ("Who?", "Who"),
        ("con", "_con"),
        ("NUL.txt", "_NUL.txt"),
        ("...", "_"),
        ("", "_"),
        (" a\x1b[2J\n ", "a [2J"),
        (".playdock", "playdock"),
        ("Ōkami", "Ōkami"),
    ],
)
def test_a_game_name_becomes_one_folder_name(name: str, folder: str) -> None:
    assert folder_name(name) == folder


@given(some.text())
def test_a_folder_can_be_created_for_any_game_name(name: str) -> None:
    folder = folder_name(name)

    assert 0 < len(folder.encode()) <= 255
    assert folder == folder.strip(". ")
    assert not set(folder) & set('<>:"/\\|?*\0')
    assert folder_name(folder) == folder
