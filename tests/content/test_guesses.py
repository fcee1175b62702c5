"""The detection of the program that starts a game, in the folder trees of engines, stores and distributions."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.guesses import MAX_GUESSES, LaunchGuess, ProgramFile, guess, shortlist
from playdock.content.programs import Format, Platform, format_of


def elf(kind: int, *, entry: int) -> bytes:
    return (b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQ", kind, 62, 1, entry)).ljust(64, b"\0")


def windows(flags: int) -> bytes:
    header = bytearray(b"MZ".ljust(152, b"\0"))
    struct.pack_into("<H", header, 24, 0x40)
    struct.pack_into("<I", header, 60, 0x80)
    struct.pack_into("<4sHHIIIHH", header, 0x80, b"PE\0\0", 0x8664, 1, 0, 0, 0, 240, flags)
    return bytes(header)


def apple(kind: int) -> bytes:
    return struct.pack("<IIII", 0xFEEDFACF, 0x01000007, 3, kind)


HEADS = {
    "exe": windows(0x22),
    "dll": windows(0x2022),
    "far": windows(0x22)[:100],
    "dos": b"MZ" + bytes(22) + struct.pack("<H", 0x1E) + bytes(38),
    "elf": elf(2, entry=0x401000),
    "pie": elf(3, entry=0x1040),
    "lib": elf(3, entry=0),
    "obj": elf(1, entry=0),
    "mac": apple(2),
    "dylib": apple(6),
    "fat": b"\xca\xfe\xba\xbe\0\0\0\2",
    "java": b"\xca\xfe\xba\xbe\0\0\0\x3d",
    "sh": b"#!/bin/sh\n",
    "text": b"Read me first.\n",
}


def guesses(tree: str, *, game: str, folders: tuple[str, ...] = ()) -> list[LaunchGuess]:
    """Return the guesses for a tree of lines `path | format`, with an `x` before the format of executable files."""
    pairs = (line.split("|") for line in tree.split("\n") if "|" in line)
    rows = [(path.strip(), marks.split()) for path, marks in pairs]
    files = [ProgramFile(path, executable="x" in marks) for path, marks in rows]
    contents = {path: HEADS[marks[-1]] for path, marks in rows if marks and marks[-1] in HEADS}
    heads = {path: contents.get(path, b"") for path in shortlist(files, game=game, folders=folders)}
    return guess(files, heads=heads, game=game, folders=folders)


# A heading is the platform, the kind of tree and the game; `>` marks the expected first guess.
TREES = """
# Windows | Unity | Hollow Knight
  UnityCrashHandler64.exe | exe
  UnityPlayer.dll | dll
> Hollow Knight.exe | exe
# Windows | Unreal | Ghostrunner
> Ghostrunner.exe | exe
  Engine/Binaries/Win64/CrashReportClient.exe | exe
  Engine/Extras/Redist/en-us/UE4PrereqSetup_x64.exe | exe
  Ghostrunner/Binaries/Win64/Ghostrunner-Win64-Shipping.exe | exe
# Windows | Unreal without launcher | Ghostrunner
  Engine/Binaries/Win64/CrashReportClient.exe | exe
  Engine/Binaries/Win64/EpicWebHelper.exe | exe
> Ghostrunner/Binaries/Win64/Ghostrunner-Win64-Shipping.exe | exe
# Windows | Source | Half-Life 2
> hl2.exe | exe
  bin/vrad.exe | exe
  bin/hammer.exe | exe
  bin/steamerrorreporter.exe | exe
# Windows | GOG for Windows | Stardew Valley
  Stardew Valley/unins000.exe | exe
> Stardew Valley/Stardew Valley.exe | exe
  Stardew Valley/__redist/vcredist_x64.exe | exe
# Windows | RPG Maker | To the Moon
> Game.exe | exe
  notification_helper.exe | exe
# Windows | Electron | CrossCode
> CrossCode.exe | exe
  Squirrel.exe | exe
  resources/elevate.exe | exe
# Windows | DOSBox | Commander Keen 4
  KEEN4E.EXE | dos
  SETUP.EXE | dos
> DOSBOX/DOSBox.exe | exe
  DOSBOX/GOGDOSConfig.exe | exe
# Windows | protected | Elden Ring
> Game/eldenring.exe | exe
  Game/start_protected_game.exe | exe
  Game/EasyAntiCheat/EasyAntiCheat_EOS_Setup.exe | exe
# Windows | only a set-up | Tunic
> setup_tunic_1.2.3_(64bit).exe | exe
  setup_tunic_1.2.3_(64bit)-1.bin | text
# Windows | a package of Windows | Tunic
> TunicInstaller.msi | text
  dotnetfx35.exe | exe
# Linux | Unity | Hollow Knight
  Hollow Knight.x86 | x elf
> Hollow Knight.x86_64 | x elf
  UnityPlayer.so | x lib
# Linux | Unreal | Ghostrunner
> LinuxNoEditor/Ghostrunner.sh | x sh
  LinuxNoEditor/Ghostrunner/Binaries/Linux/Ghostrunner-Linux-Shipping | x pie
  LinuxNoEditor/Engine/Binaries/Linux/CrashReportClient | x pie
# Linux | Source | Half-Life 2
> hl2.sh | x sh
  hl2_linux | x elf
  srcds_run | x sh
# Linux | GOG for Linux | Bastion
> start.sh | x sh
  gameinfo | text
  game/Bastion.bin.x86_64 | x elf
  game/lib64/libSDL2-2.0.so.0 | x lib
  support/postinst.sh | x sh
  support/yad/64/yad | x elf
# Linux | Godot | Brotato
> Brotato.x86_64 | x elf
# Linux | Electron | CrossCode
> CrossCode | x pie
  chrome-sandbox | x pie
  chrome_crashpad_handler | x pie
  libffmpeg.so | x lib
  resources/app/node_modules/greenworks/lib/greenworks.node | x lib
# Linux | AppImage | Minetest
> Minetest-5.6.1-x86_64.AppImage | pie
  README | text
# Linux | an installer | Some Game
> game-installer.sh | x sh
  data/a.bin | text
# Linux | modes lost by a zip | Braid
> Braid | elf
  LICENSE | text
  launcher.bin | text
# Linux | Debian's stk | SuperTuxKart
> usr/games/supertuxkart | x pie
  usr/share/doc/supertuxkart/copyright | text
# Linux | Debian's openttd | OpenTTD
> usr/games/openttd | x pie
# Linux | Debian's wesnoth | The Battle for Wesnoth
> usr/games/wesnoth-1.16 | x pie
  usr/games/wesnoth-1.16_editor | x sh
  usr/games/wesnothd-1.16 | x pie
# Linux | Debian's frozen-bubble | Frozen Bubble
> usr/games/frozen-bubble | x sh
  usr/games/frozen-bubble-editor | x sh
  usr/lib/games/frozen-bubble/fb-server | x pie
  usr/lib/x86_64-linux-gnu/perl5/5.36/auto/fb_c_stuff/fb_c_stuff.so | lib
# Linux | Debian's teeworlds | Teeworlds
> usr/games/teeworlds | x pie
  usr/games/teeworlds_srv | x pie
# Linux | Debian's hedgewars | Hedgewars
> usr/games/hedgewars | x sh
  usr/lib/hedgewars/bin/hwengine | x pie
  usr/lib/hedgewars/bin/hedgewars | x pie
# macOS | Unity | Hollow Knight
> Hollow Knight.app/Contents/MacOS/Hollow Knight | x fat
  Hollow Knight.app/Contents/Frameworks/UnityPlayer.dylib | x dylib
  Hollow Knight.app/Contents/Info.plist | text
# macOS | Electron | CrossCode
  CrossCode.app/Contents/Frameworks/CrossCode Helper (GPU).app/Contents/MacOS/CrossCode Helper (GPU) | x mac
> CrossCode.app/Contents/MacOS/CrossCode | x mac
  CrossCode.app/Contents/Resources/App.class | x java
# macOS | another name inside | Celeste
  Celeste.app/Contents/MacOS/osx_stub | x mac
> Celeste.app/Contents/MacOS/kick | x mac
  tools/a | x mac
"""

RENPY = """
DDLC.exe | exe
DDLC.sh | x sh
DDLC.py | x sh
DDLC.app/Contents/MacOS/DDLC | x mac
lib/py3-linux-x86_64/DDLC | x elf
lib/py3-linux-x86_64/python | x elf
lib/py3-linux-x86_64/librenpython.so | x lib
lib/py3-windows-x86_64/DDLC.exe | exe
lib/py3-windows-x86_64/pythonw.exe | exe
"""


@pytest.mark.parametrize("case", TREES.split("\n# ")[1:], ids=lambda case: case.partition("\n")[0])
def test_the_game_comes_first(case: str) -> None:
    heading, _, tree = case.partition("\n")
    platform, _, game = heading.split(" | ")
    expected = next(line[2:].split(" |")[0] for line in tree.split("\n") if line.startswith("> "))

    found = guesses(tree.replace("> ", "  "), game=game)

    assert (found[0].filename, found[0].platform) == (expected, platform)


def test_a_tree_for_three_platforms_has_one_best_guess_for_each() -> None:
    found = guesses(RENPY, game="Doki Doki Literature Club!")

    assert {each.filename for each in found[:3]} == {"DDLC.exe", "DDLC.sh", "DDLC.app/Contents/MacOS/DDLC"}
    assert [each.filename.rpartition("/")[2] for each in found if each.match == 0] == ["python", "pythonw.exe"]


def test_folder_names_help_if_the_title_does_not() -> None:
    tree = "usr/games/openttd | x pie\nusr/games/aaa | x pie"

    found = guesses(tree, game="Transport Tycoon", folders=("openttd", "13.0"))

    assert [each.filename for each in found] == ["usr/games/openttd", "usr/games/aaa"]
    assert found[0].match > 0.9


NOT_THE_GAME = """
unins000 uninstall Uninst UninstallGame vcredist_x64 vc_redist.x86 dxsetup DXWebSetup dotNetFx40_Full_setup ndp48-web
oalinst UE4PrereqSetup_x64 UnityCrashHandler32 UnityCrashHandler64 CrashReportClient CrashSender1403 crashpad_handler
BugSplatHD BsSndRpt64 EasyAntiCheat_Setup EasyAntiCheat_EOS_Setup BEService_x64 python pythonw python3.11 7za 7z
notification_helper launch_helper QtWebEngineProcess UnrealCEFSubProcess elevate createdump chrome-sandbox
_CommonRedist/any Redist/en-us/any DirectX/any EasyAntiCheat/any __MACOSX/Portal
"""


@pytest.mark.parametrize("name", NOT_THE_GAME.split())
def test_programs_that_are_not_the_game_come_last(name: str) -> None:
    found = guesses(f"a/b/c/d/zzz.exe | exe\n{name}.exe | exe", game="Portal")

    assert [each.filename for each in found] == ["a/b/c/d/zzz.exe", f"{name}.exe"]
    assert found[0].match > found[1].match == 0


def test_words_of_the_title_do_not_count_against_a_program() -> None:
    found = guesses("SantasHelper.exe | exe\nHelper.exe | exe\nuninstall.exe | exe", game="Santa's Helper")

    assert [each.match > 0 for each in found] == [True, True, False]


@pytest.mark.parametrize(
    "game", ["Crash Bandicoot", "Monty Python", "Redout", "Zip Zap", "Node", "Python", "Test Drive"]
)
def test_titles_are_not_mistaken_for_tools(game: str) -> None:
    assert guesses(f"{game}.exe | exe", game=game)[0].match == 1


def test_installers_rank_below_the_game() -> None:
    found = guesses("Tunic.exe | exe\nsetup_tunic_1.0.exe | exe\nsetup.exe | exe\nother.exe | exe", game="Tunic")

    assert [each.filename for each in found] == ["Tunic.exe", "setup_tunic_1.0.exe", "setup.exe", "other.exe"]
    assert found[2].match > 0.3


PREFERRED = [
    ("bin/Tunic.exe | exe", "setup_tunic.exe | exe"),
    ("a/Tunic Plus.exe | exe", "Tunic Editor.exe | exe"),
    ("a/Tunic Client.exe | exe", "Tunic Server.exe | exe"),
    ("a/b/Tunic.exe | exe", "Tunic.exe | dos"),
    ("linux-x86_64/tunic | x elf", "linux-armv7l/tunic | x elf"),
    ("Binaries/Win64/Tunic.exe | exe", "old/Tunic.exe | exe"),
    ("tunic | x elf", "tunic.py | x sh"),
]


@pytest.mark.parametrize(("better", "other"), PREFERRED)
def test_the_game_ranks_above_related_programs(better: str, other: str) -> None:
    found = guesses(f"{better}\n{other}\nreadme.txt | text", game="Tunic")

    assert found[0].filename == better.partition(" |")[0]
    assert found[0].match > found[1].match > 0


def test_common_parent_folders_do_not_count() -> None:
    assert guesses("a/b/Tunic.exe | exe\na/b/readme.txt | text", game="Tunic")[0].match == 1


UNREAD = {
    "Game.exe": [Platform.WINDOWS],
    "run.sh": [Platform.LINUX],
    "X.app/Contents/MacOS/X": [Platform.MACOS],
    "X.app/Contents/MacOS/X.sh": [Platform.MACOS],
    "plain": [],
    "data.bin": [],
}


@pytest.mark.parametrize(("path", "expected"), UNREAD.items())
def test_names_determine_the_platform_if_no_bytes_were_read(path: str, expected: list[Platform]) -> None:
    found = guess([ProgramFile(path, executable=True)], heads={}, game="X")

    assert [each.platform for each in found] == expected


NOT_PROGRAMS = """
libfoo.so | x lib
libfoo.so.1 | x lib
libfoo.so.1.2.3 | x elf
plugin | x lib
game.dll | x exe
part.o | x obj
object | x obj
lib.dylib | x dylib
bare | x dylib
Main.class | x java
Main | x java
README | x text
notes.txt | x sh
art.png | x text
mods.7z | x sh
liar.exe | x text
liar.x86_64 | x text
library.exe | dll
._Game.exe | x exe
module.py | sh
unknown.foo | elf
data.bin | x text
game.lnk | x text
"""


def test_libraries_objects_and_data_are_not_listed() -> None:
    assert guesses(NOT_PROGRAMS, game="game") == []


PROGRAMS = {
    Format.WINDOWS: ["exe", "far"],
    Format.DOS: ["dos"],
    Format.LINUX: ["elf", "pie"],
    Format.MACOS: ["mac", "fat"],
    Format.SCRIPT: ["sh"],
    Format.OTHER: ["dll", "lib", "obj", "dylib", "java", "text"],
}


@pytest.mark.parametrize(("file_format", "names"), PROGRAMS.items())
def test_the_first_bytes_identify_the_format(file_format: Format, names: list[str]) -> None:
    assert {format_of(HEADS[name]) for name in names} == {file_format}


@given(st.sampled_from([*HEADS.values()]), st.integers(0, 160), st.binary(max_size=60))
def test_truncated_or_damaged_bytes_are_accepted(head: bytes, length: int, rest: bytes) -> None:
    assert format_of(head[:length] + rest) in Format


@pytest.mark.parametrize("text", ["linux", "LINUX", " Linux "])
def test_platforms_are_parsed_case_insensitively(text: str) -> None:
    assert Platform.parse(text) is Platform.LINUX


def test_the_error_for_an_unknown_platform_lists_the_platforms() -> None:
    with pytest.raises(ValueError, match="Choose Windows, Linux or macOS"):
        Platform.parse("amiga")


FOLDER = st.sampled_from(["bin", "usr", "games", "Game", "data", "Redist", "X.app", "Contents", "MacOS", "a"])
STEM = st.sampled_from(["game", "portal", "setup", "unins000", "start", "libx", "helper", "x.y", "Portal2", ""])
SUFFIX = st.sampled_from(["", ".exe", ".sh", ".so", ".so.1", ".dll", ".dylib", ".x86_64", ".bin", ".png", ".py", ".16"])
PATH = st.builds(lambda folders, stem, suffix: "/".join([*folders, stem + suffix]), st.lists(FOLDER), STEM, SUFFIX)
FILES = st.dictionaries(PATH, st.tuples(st.booleans(), st.none() | st.sampled_from([*HEADS.values()])), max_size=30)


@given(FILES, st.sampled_from(["Portal 2", "", "Game", "Windows"]))
def test_guesses_are_sorted_files_of_the_version(files: dict[str, tuple[bool, bytes | None]], game: str) -> None:
    candidates = [ProgramFile(path, executable=executable) for path, (executable, _) in files.items()]
    found = guess(candidates, heads={path: head for path, (_, head) in files.items() if head is not None}, game=game)
    keys = [(-each.match, each.filename.count("/"), each.filename) for each in found]

    assert keys == sorted(keys)
    assert all(0 <= each.match <= 1 for each in found)
    assert {each.filename for each in found} <= set(files)
    assert not [each for each in found if ".so" in each.filename or each.filename.endswith((".dll", ".dylib", ".png"))]
    assert all(each.match == 0 for each in found if "unins000" in each.filename or "helper" in each.filename)


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_listing_does_not_matter(random: object) -> None:
    lines = RENPY.strip().split("\n")
    shuffled = sorted(lines, key=lambda _: random.random())  # type: ignore[attr-defined]

    assert guesses("\n".join(shuffled), game="DDLC") == guesses(RENPY, game="DDLC")


@pytest.mark.parametrize("program", ["bin/supertuxkart", "a/b/c/stk", "a/b/c/start", "usr/games/supertuxkart", "tux"])
def test_the_shortlist_is_limited_and_contains_the_game(program: str) -> None:
    """As on SMB shares, every file is executable, and many data files have the name of the game."""
    data = (ProgramFile(f"data/{number % 97}/kart{number}", executable=True) for number in range(3_000))

    short = shortlist([*data, ProgramFile(program, executable=True)], game="SuperTuxKart")

    assert len(short) == 256
    assert short[0] == program


def test_the_list_is_limited_to_the_best_matches() -> None:
    files = [*(ProgramFile(f"deep/tool{number}.exe") for number in range(3_000)), ProgramFile("deep/portal.exe")]

    found = guess(files, heads={}, game="Portal")

    assert len(found) == MAX_GUESSES
    assert found[0].filename == "deep/portal.exe"
