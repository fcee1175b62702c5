"""Whether a folder holds versions of a game, or is one, from the names in it."""

import pytest

from playdock.content.archive_names import is_version_file
from playdock.content.layouts import DEFAULT_VERSION, Entry, holds_versions, only_installer, shown_version, titled

# Folders end with a slash.
VERSIONS = [
    "1.0/ 1.1/",
    "1.0/ 1.1.zip readme.txt cover.jpg",
    "13/",
    "Doom v1.9/ Doom v1.10/",
    "windows/ linux/",
    "GOG/ Steam/",
    "Doom/",
    "doom-1.9-linux.tar.xz",
    "doom.7z readme.nfo",
    "Deluxe Edition/",
    "1.0/ setup_doom_1.1.exe",
    "1.0/ 1.1/ setup_doom_1.2.exe setup_doom_1.2-1.bin",
    "2024-01-05/ latest/",
]
GAMES = [
    "",
    "doom.exe doom.wad",
    "doom.exe 1.0/",
    "bin/ share/",
    "Doom_Data/ Doom.exe UnityPlayer.dll",
    "Doom.app/",
    "Doom.x86_64 Doom_Data/",
    "Engine/ Doom/",
    "setup_doom_1.9.exe setup_doom_1.9-1.bin",
    "readme.txt Manual/",
    "1.0/ setup_doom_1.1.exe other-1.bin",
    "launcher.sh game/ patch.zip",
    "index.html assets/",
    "readme.txt",
]


def entries(text: str) -> list[Entry]:
    names = [
        (name.rstrip("/"), name.endswith("/")) for name in text.replace(" v1", "\0v1").replace(" Ed", "\0Ed").split()
    ]
    plain = [(name.replace("\0", " "), is_folder) for name, is_folder in names]
    return [Entry(name, is_folder, is_folder or is_version_file(name)) for name, is_folder in plain]


@pytest.mark.parametrize("text", VERSIONS)
def test_folders_of_versions_are_recognized(text: str) -> None:
    assert holds_versions("Doom", entries(text))


@pytest.mark.parametrize("text", GAMES)
def test_folders_of_games_are_recognized(text: str) -> None:
    assert not holds_versions("Doom", entries(text))


@pytest.mark.parametrize(
    ("text", "installer"),
    [
        ("setup_doom_1.9.exe", "setup_doom_1.9.exe"),
        ("setup_doom_1.9.exe setup_doom_1.9-1.bin setup_doom_1.9-2.bin readme.txt", "setup_doom_1.9.exe"),
        ("setup_doom_1.9.exe setup_quake-1.bin", None),
        ("setup_doom_1.9.exe setup_quake.exe", None),
        ("setup_doom_1.9.exe data/", None),
        ("setup_doom_1.9.exe doom.exe", None),
        ("doom.zip", None),
    ],
)
def test_an_installer_alone_in_a_folder_is_recognized(text: str, installer: str | None) -> None:
    assert only_installer(entries(text)) == installer


@pytest.mark.parametrize(
    ("version", "label", "shown", "title"),
    [
        ("1.0", None, "1.0", "Doom 1.0"),
        ("Doom.1.0.zip", "1.0", "1.0", "Doom 1.0"),
        (DEFAULT_VERSION, None, "", "Doom"),
        (DEFAULT_VERSION, "1.0", "1.0", "Doom 1.0"),
    ],
)
def test_the_only_version_of_a_game_is_called_like_the_game(
    version: str, label: str | None, shown: str, title: str
) -> None:
    assert (shown_version(version, label), titled("Doom", version, label)) == (shown, title)
