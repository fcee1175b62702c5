"""What names of folders and files say of versions: names as they occur, of stores, of archives and of groups."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.releases import is_version_name, label_of, release_of, reported_version

# By name: the title, the version, the store.
NAMES = {
    # GOG, as folders and as installers
    "Hollow Knight v1.5.78 (GOG)": ("Hollow Knight", "1.5.78", "GOG"),
    "Hollow Knight [GOG] v1.5.78.11833": ("Hollow Knight", "1.5.78.11833", "GOG"),
    "setup_hollow_knight_1.5.78.11833a_(64bit)_(54389).exe": ("hollow knight", "1.5.78.11833a", "GOG"),
    "setup_stardew_valley_1.5.6.1988831614_(52973).exe": ("stardew valley", "1.5.6.1988831614", "GOG"),
    "setup_baldurs_gate_2.1.0.7.exe": ("baldurs gate", "2.1.0.7", ""),
    "Stardew.Valley.v1.5.6.1988831614.GOG": ("Stardew Valley", "1.5.6.1988831614", "GOG"),
    "The Witcher 3 - Wild Hunt (GOG) [v1.32]": ("The Witcher 3 - Wild Hunt", "1.32", "GOG"),
    "Divinity - Original Sin 2 v3.6.117.3735 (gog.com)": ("Divinity - Original Sin 2", "3.6.117.3735", "GOG"),
    "Cuphead-GOG": ("Cuphead", "", "GOG"),
    # other stores
    "Celeste (itch.io) 1.4.0.0": ("Celeste", "1.4.0.0", "itch.io"),
    "celeste-windows-64-v1.4.0.0.zip": ("celeste", "1.4.0.0", ""),
    "Hades [Epic Games] v1.38290": ("Hades", "1.38290", "Epic"),
    "FTL v1.6.14 (Humble Bundle)": ("FTL", "1.6.14", "Humble"),
    "Portal 2 (Steam)": ("Portal 2", "", "Steam"),
    "game-jam-entry-v1-2-3-linux.tar.gz": ("game jam entry", "1.2.3", ""),
    "Dead Space (Origin) v1.0": ("Dead Space", "1.0", "EA"),
    "Rayman Legends v1.02 [Uplay]": ("Rayman Legends", "1.02", "Ubisoft"),
    # packages of free games
    "supertuxkart-1.4": ("supertuxkart", "1.4", ""),
    "SuperTuxKart-1.4-linux-x86_64.tar.xz": ("SuperTuxKart", "1.4", ""),
    "0ad-0.0.26-alpha-win32.zip": ("0ad", "0.0.26 alpha", ""),
    "openttd-13.0-beta2-windows-win64": ("openttd", "13.0 beta 2", ""),
    "wesnoth-1.16.9-win64": ("wesnoth", "1.16.9", ""),
    "xonotic-0.8.6.zip": ("xonotic", "0.8.6", ""),
    "freedoom-0.13.0": ("freedoom", "0.13.0", ""),
    "minetest-5.9.1-win64": ("minetest", "5.9.1", ""),
    "Minecraft b1.7.3": ("Minecraft", "b1.7.3", ""),
    "Cataclysm-DDA 0.G": ("Cataclysm-DDA 0.G", "", ""),
    # names of groups
    "Hollow.Knight.v1.5.78.11833-CODEX": ("Hollow Knight", "1.5.78.11833", ""),
    "Elden.Ring-EMPRESS": ("Elden Ring", "", ""),
    "Elden.Ring.v1.10.1.Incl.DLC-RUNE": ("Elden Ring", "1.10.1", ""),
    "Terraria.v1.4.4.9-I_KnoW": ("Terraria", "1.4.4.9", ""),
    "Factorio.Space.Age.v2.0.28-Razor1911": ("Factorio Space Age", "2.0.28", ""),
    "Hades.II.Build.15432": ("Hades II", "Build 15432", ""),
    "No.Mans.Sky.Update.v4.08-TENOKE": ("No Mans Sky Update", "4.08", ""),
    "Left 4 Dead 2 v2.2.3.1 [FitGirl Repack]": ("Left 4 Dead 2", "2.2.3.1", ""),
    # dates
    "OpenRA-20231010": ("OpenRA", "2023-10-10", ""),
    "Dwarf Fortress 2024-03-15": ("Dwarf Fortress", "2024-03-15", ""),
    "Dolphin 2023.12.31": ("Dolphin", "2023-12-31", ""),
    "red eclipse nightly 2024_02_01": ("red eclipse", "2024-02-01", ""),
    # builds, updates and stages
    "Half-Life_2_Build_2153": ("Half-Life 2", "Build 2153", ""),
    "Valheim build 9876543": ("Valheim", "build 9876543", ""),
    "7 Days to Die Alpha 21.2 (b37)": ("7 Days to Die", "Alpha 21.2", ""),
    "Baldur's Gate 3 Patch 7": ("Baldur's Gate 3", "Patch 7", ""),
    "KSP 1.0 beta 2": ("KSP", "1.0 beta 2", ""),
    "Subnautica Early Access": ("Subnautica Early Access", "Early Access", ""),
    "Rust r1234": ("Rust", "r1234", ""),
    "Quake 1.06": ("Quake", "1.06", ""),
    "Deus Ex 1.112fm": ("Deus Ex", "1.112fm", ""),
    "Game Ver.2": ("Game", "2", ""),
    "Game ver1.04b": ("Game", "1.04b", ""),
    "Game version 3": ("Game", "3", ""),
    "Game v1_2_3": ("Game", "1.2.3", ""),
    "Game (1.2)": ("Game", "1.2", ""),
    "Train Simulator 2021 v72.5a": ("Train Simulator 2021", "72.5a", ""),
    # numbers and years in titles, Roman numerals
    "Half-Life 2": ("Half-Life 2", "", ""),
    "Half-Life 2 (2004)": ("Half-Life 2", "", ""),
    "Doom (1993) [v1.9]": ("Doom", "1.9", ""),
    "Resident Evil 4 (2023) v1.0.1": ("Resident Evil 4", "1.0.1", ""),
    "Anno 1404": ("Anno 1404", "", ""),
    "Anno 1800 v9.2": ("Anno 1800", "9.2", ""),
    "Cyberpunk 2077 v2.12 (GOG)": ("Cyberpunk 2077", "2.12", "GOG"),
    "Football Manager 2024": ("Football Manager 2024", "", ""),
    "F1 2021": ("F1 2021", "", ""),
    "1849": ("1849", "", ""),
    "Final Fantasy VII": ("Final Fantasy VII", "", ""),
    "Grand Theft Auto IV 1.0.8.0": ("Grand Theft Auto IV", "1.0.8.0", ""),
    "Civilization V 1.0.3.279": ("Civilization V", "1.0.3.279", ""),
    "Quake 4 1.4.2": ("Quake 4", "1.4.2", ""),
    "System Shock 2 v2.48": ("System Shock 2", "2.48", ""),
    "7.62 High Calibre": ("7.62 High Calibre", "", ""),
    "Kingdom Hearts HD 1.5 + 2.5 ReMIX": ("Kingdom Hearts HD 1.5 + 2.5 ReMIX", "", ""),
    "S.T.A.L.K.E.R. Call of Pripyat 1.6.02": ("S.T.A.L.K.E.R. Call of Pripyat", "1.6.02", ""),
    "Warhammer 40,000 Mechanicus v1.4.3": ("Warhammer 40,000 Mechanicus", "1.4.3", ""),
    # words in titles that are also stores or stages
    "SteamWorld Dig": ("SteamWorld Dig", "", ""),
    "Epic Battle Fantasy 5": ("Epic Battle Fantasy 5", "", ""),
    "Sid Meier's Alpha Centauri": ("Sid Meier's Alpha Centauri", "", ""),
    "X-COM": ("X-COM", "", ""),
    "Spider-Man": ("Spider-Man", "", ""),
    "V Rising": ("V Rising", "", ""),
    "Build a Boat": ("Build a Boat", "", ""),
    # names of versions alone
    "1.0": ("1.0", "1.0", ""),
    "v1.5.78": ("v1.5.78", "1.5.78", ""),
    "1.5.78 (GOG)": ("1.5.78 (GOG)", "1.5.78", "GOG"),
    "gog-1.2": ("gog-1.2", "1.2", "GOG"),
    "windows-1.9": ("windows-1.9", "1.9", ""),
    "Build 123": ("Build 123", "Build 123", ""),
    "20240315": ("20240315", "2024-03-15", ""),
    "Hades (steam-1145360) v1.0": ("Hades", "1.0", ""),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_read(name: str) -> None:
    release = release_of(name)

    assert (release.title, release.version, release.source) == NAMES[name]


@given(st.text(max_size=60))
def test_any_name_has_a_title(name: str) -> None:
    assert bool(release_of(name).title) == bool(name.strip())


def test_a_long_name_is_read_in_time() -> None:
    for piece in ("1.", "v1-", "(", "a.", "-1_", "beta ", "alpha1"):
        release_of(piece * 1000)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("1.0", True),
        ("v2", True),
        ("13", True),
        ("Doom v1.9", True),
        ("doom-1.9-linux", True),
        ("Windows", True),
        ("linux-x86_64", True),
        ("GOG", True),
        ("latest", True),
        ("Doom", True),
        ("bin", False),
        ("Doom_Data", False),
        ("maps", False),
        ("Manual", False),
    ],
)
def test_names_of_versions_are_recognized(name: str, *, expected: bool) -> None:
    assert is_version_name(name, game="Doom") is expected


@pytest.mark.parametrize(
    ("strings", "expected"),
    [
        ({"ProductVersion": "1.5.78.11833"}, "1.5.78.11833"),
        ({"ProductVersion": "1, 6, 0, 0", "ProductName": "Doom"}, "1.6"),
        ({"ProductVersion": "", "FileVersion": "2.4.0.0"}, "2.4"),
        ({"ProductVersion": "1.10.0.0"}, "1.10"),
        ({"ProductVersion": "10.0.3"}, "10.0.3"),
        ({"ProductVersion": "0.9.14"}, "0.9.14"),
        # Those of engines and development tools, and texts
        ({"ProductVersion": "2019.4.31f1_bd5abf232a62"}, ""),
        ({"ProductVersion": "2021.3.5", "FileVersion": "2021.3.5.15060914"}, ""),
        ({"ProductVersion": "++UE4+Release-4.27-CL-0"}, ""),
        ({"ProductVersion": "3.1.2", "ProductName": "Godot Engine"}, ""),
        ({"ProductVersion": "3.1.2", "ProductName": "Doom"}, "3.1.2"),
        ({"ProductVersion": "3.1.2", "ProductName": "UnityPlayer"}, ""),
        ({"ProductVersion": "1.0.0.0", "FileVersion": "0.0.0.0"}, ""),
        ({"ProductVersion": "final"}, ""),
        ({}, ""),
    ],
)
def test_the_version_that_a_program_reports(strings: dict[str, str], expected: str) -> None:
    assert reported_version(strings) == expected


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Hollow Knight v1.5.78 (GOG)", "1.5.78 (GOG)"),
        ("hollow-knight-1.5.78-linux-x86_64.tar.xz", "1.5.78"),
        ("setup_hollow_knight_1.5.78.11833a_(64bit)_(54389).exe", "1.5.78.11833a (GOG)"),
        ("1.5", "1.5"),
        ("Build 2153", "Build 2153"),
        ("Deluxe Edition v1.2", ""),
        ("Hollow Knight v1.2 modded", ""),
        ("GOG", "GOG"),
        ("latest", ""),
        ("default", ""),
    ],
)
def test_a_label_does_not_leave_out_what_tells_versions_apart(name: str, label: str) -> None:
    assert label_of(name, game="Hollow Knight") == label
