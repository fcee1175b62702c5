"""What is started, and what is refused."""

import shlex
from pathlib import Path

import pytest

from playdock_client.client_folders import ClientFolders
from playdock_client.errors import CannotLaunch
from playdock_client.installation import Installation
from playdock_client.launch import Launcher, Program, working_folder
from playdock_client.launch_command import bundle_of, path_of, split
from playdock_client.launch_properties import InvalidProperties, LaunchProperties, read_properties, write_properties
from playdock_client.machine import Machine, restore_library_path
from playdock_client.responses import GameInfo, VersionInfo


def installed(platform: str, **more: str) -> Installation:
    version = VersionInfo(id="v", name="1.0", platform=platform, **more)  # type: ignore[arg-type]
    return Installation(server="https://a.example", game=GameInfo(id="g", name="Doom"), version=version, etag="e")


def launcher(tmp_path: Path, platform: str, umu: str | None = None, *, online: bool = True) -> Launcher:
    folders = ClientFolders(tmp_path / "config", tmp_path / "data")
    return Launcher(Machine(platform, umu), folders, environment={}, info=lambda _: None, online=lambda: online)


def game_file(tmp_path: Path, path: str) -> Path:
    file = tmp_path / "game" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"")
    return file


def test_a_command_is_found_in_the_folder(tmp_path: Path) -> None:
    file = game_file(tmp_path, "bin/doom")

    assert path_of(tmp_path / "game", "bin/doom") == file


@pytest.mark.parametrize(
    "command",
    [
        "",
        "/bin/sh",
        "../outside",
        "bin/../../outside",
        "C:/x.exe",
        "bin\\doom",
        "a\0b",
        ".playdock/set-up.json",
        ".",
        "bin/",
    ],
)
def test_a_command_outside_the_folder_is_rejected(tmp_path: Path, command: str) -> None:
    game_file(tmp_path, "bin/doom")
    (tmp_path / "outside").touch()

    with pytest.raises(CannotLaunch, match="not inside the installation"):
        path_of(tmp_path / "game", command)


@pytest.mark.parametrize("link", ["doom", "bin"])
def test_a_command_that_leaves_the_folder_through_a_symlink_is_rejected(tmp_path: Path, link: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "doom").touch()
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / link).symlink_to(tmp_path / "outside" / ("doom" if link == "doom" else ""))

    with pytest.raises(CannotLaunch, match="is a link that leaves"):
        path_of(tmp_path / "game", "doom" if link == "doom" else "bin/doom")


def test_a_symlink_inside_the_folder_is_run_by_its_own_name(tmp_path: Path) -> None:
    game_file(tmp_path, "busybox")
    (tmp_path / "game" / "ls").symlink_to("busybox")

    assert path_of(tmp_path / "game", "ls").name == "ls"


def test_the_error_for_a_missing_command_suggests_a_repair(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "loop").symlink_to("loop")

    for command in ("doom", "loop"):
        with pytest.raises(CannotLaunch, match="Repair"):
            path_of(tmp_path / "game", command)


@pytest.mark.parametrize(
    ("arguments", "linux", "windows"),
    [
        ("", [], []),
        ("-a -b", ["-a", "-b"], ["-a", "-b"]),
        ('"two words" x', ["two words", "x"], ["two words", "x"]),
        ("'two words'", ["two words"], ["'two", "words'"]),
        (r"C:\Games\x", ["C:Gamesx"], [r"C:\Games\x"]),
        ("# no comment", ["#", "no", "comment"], ["#", "no", "comment"]),
        ("$(rm) ; & | *", ["$(rm)", ";", "&", "|", "*"], ["$(rm)", ";", "&", "|", "*"]),
    ],
)
def test_arguments_are_split_by_the_rules_of_the_platform(arguments: str, linux: list[str], windows: list[str]) -> None:
    assert split(arguments, platform="Linux") == linux
    assert split(arguments, platform="Windows") == windows


def test_unclosed_quotes_are_rejected() -> None:
    with pytest.raises(CannotLaunch, match="quotation"):
        split('"open', platform="Linux")


def test_a_linux_game_is_started_directly(tmp_path: Path) -> None:
    path = game_file(tmp_path, "doom")
    started = launcher(tmp_path, "Linux").invocation(
        installed("Linux"), path.parent, path, Program("doom", "-a"), ["b c"]
    )

    assert (started.command, started.environment) == ([str(path), "-a", "b c"], {})


def test_on_windows_arguments_are_appended_to_the_command_line(tmp_path: Path) -> None:
    path = game_file(tmp_path, "my doom.exe")
    program = Program("my doom.exe", r'-path C:\x "y z"')
    started = launcher(tmp_path, "Windows").invocation(installed("Windows"), path.parent, path, program, ["b c", "d"])

    assert started.command == rf'"{path}" -path C:\x "y z" "b c" d'


def test_a_windows_game_on_linux_runs_with_umu_in_its_own_prefix(tmp_path: Path) -> None:
    path = game_file(tmp_path, "doom.exe")
    umu = launcher(tmp_path, "Linux", "/usr/bin/umu-run")
    started = umu.invocation(
        installed("Windows", compat_id="umu-42"), path.parent, path, Program("doom.exe", r"-c a\b"), ()
    )

    assert started.command == ["/usr/bin/umu-run", str(path), "-c", r"a\b"]
    assert started.environment == {
        "GAMEID": "umu-42",
        "STORE": "none",
        "WINEPREFIX": str(tmp_path / "data" / "prefixes" / "g"),
    }
    assert (tmp_path / "data" / "prefixes" / "g").is_dir()


def test_the_players_properties_are_used_and_umu_does_not_look_for_updates_offline(tmp_path: Path) -> None:
    path = game_file(tmp_path, "doom.exe")
    properties = LaunchProperties(
        environment={"DXVK_HUD": "fps"}, proton="GE-Proton10-4", compat_id="umu-7", store="gog"
    )
    write_properties(path.parent, properties)
    umu = launcher(tmp_path, "Linux", "umu-run", online=False)
    started = umu.invocation(installed("Windows", compat_id="umu-42"), path.parent, path, Program("doom.exe", ""), ())

    assert started.environment == {
        "GAMEID": "umu-7",
        "STORE": "gog",
        "WINEPREFIX": str(tmp_path / "data" / "prefixes" / "g"),
        "PROTONPATH": "GE-Proton10-4",
        "UMU_RUNTIME_UPDATE": "0",
        "DXVK_HUD": "fps",
    }


@pytest.mark.parametrize(
    "properties",
    [
        LaunchProperties(arguments="a\0b"),
        LaunchProperties(arguments="x" * 5000),
        LaunchProperties(environment={"a b": "c"}),
        LaunchProperties(environment={"": "c"}),
        LaunchProperties(environment={"A": "b\nc"}),
        LaunchProperties(environment={"WINEPREFIX": "/"}),
        LaunchProperties(proton="../proton"),
        LaunchProperties(compat_id="umu 1"),
        LaunchProperties(store="shop"),
    ],
)
def test_invalid_properties_are_not_stored(tmp_path: Path, properties: LaunchProperties) -> None:
    (tmp_path / ".playdock").mkdir()

    with pytest.raises(InvalidProperties):
        write_properties(tmp_path, properties)
    assert read_properties(tmp_path) == LaunchProperties()


def test_an_msi_package_is_opened_with_msiexec(tmp_path: Path) -> None:
    path = game_file(tmp_path, "Setup.MSI")
    program = Program("Setup.MSI", "/quiet")
    on_linux = launcher(tmp_path, "Linux", "umu-run").invocation(installed("Windows"), path.parent, path, program, ())
    on_windows = launcher(tmp_path, "Windows").invocation(installed("Windows"), path.parent, path, program, ())

    assert on_linux.command == ["umu-run", "msiexec", "/i", str(path), "/quiet"]
    assert isinstance(on_windows.command, str)
    assert shlex.split(on_windows.command) == ["msiexec", "/i", str(path), "/quiet"]


def test_a_compatibility_id_with_control_characters_is_rejected(tmp_path: Path) -> None:
    path = game_file(tmp_path, "doom.exe")

    with pytest.raises(CannotLaunch, match="compatibility ID"):
        launcher(tmp_path, "Linux", "umu-run").invocation(
            installed("Windows", compat_id="a\0b"), path.parent, path, Program("doom.exe", ""), ()
        )


@pytest.mark.parametrize("command", ["Doom.app/Contents/MacOS/doom", "Doom.app"])
def test_a_macos_app_bundle_is_started_with_open(tmp_path: Path, command: str) -> None:
    game_file(tmp_path, "Doom.app/Contents/MacOS/doom")
    folder = tmp_path / "game"
    started = launcher(tmp_path, "macOS").invocation(
        installed("macOS"), folder, folder / command, Program(command, "-a"), ["b"]
    )

    assert started.command == ["open", "-W", "-a", str(folder / "Doom.app"), "--args", "-a", "b"]


def test_a_bare_macos_program_is_not_an_app_bundle(tmp_path: Path) -> None:
    path = game_file(tmp_path, "bin/doom")

    assert bundle_of(tmp_path / "game", path) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"LD_LIBRARY_PATH": "/app"}, {}),
        ({"LD_LIBRARY_PATH": "/app", "LD_LIBRARY_PATH_ORIG": "/mine"}, {"LD_LIBRARY_PATH": "/mine"}),
        ({"LD_LIBRARY_PATH": "/app", "_PYI_ARCHIVE_FILE": "/app/client", "HOME": "/"}, {"HOME": "/"}),
    ],
)
def test_programs_use_the_libraries_of_the_system(before: dict[str, str], after: dict[str, str]) -> None:
    environment = dict(before)
    restore_library_path(environment, frozen=False)
    assert environment == before

    restore_library_path(environment, frozen=True)
    assert environment == after


@pytest.mark.parametrize(
    ("files", "program", "runs_in"),
    [
        (["doom", "data/wad"], "doom", ""),
        (["Doom-1.0/doom", "Doom-1.0/data/wad"], "Doom-1.0/doom", "Doom-1.0"),
        (["a/b/doom", ".hidden"], "a/b/doom", "a/b"),
        (["Doom-1.0/doom", "readme.txt"], "Doom-1.0/doom", ""),
        # Relative paths of such programs begin where their package was unpacked.
        (["usr/games/doom", "usr/share/doom/wad"], "usr/games/doom", ""),
    ],
)
def test_a_program_runs_in_the_folder_of_the_game_or_of_its_archive(
    tmp_path: Path, files: list[str], program: str, runs_in: str
) -> None:
    for file in files:
        game_file(tmp_path, file)
    folder = tmp_path / "game"
    assert working_folder(folder, Program(program, ""), (folder / program).resolve()) == folder / runs_in
