"""Which browser shows the app, and with which command."""

from pathlib import Path

import pytest

from playdock_client.app import browsers
from playdock_client.app.browsers import Browser, find_browser, is_game_mode


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"XDG_CURRENT_DESKTOP": "gamescope", "SteamDeck": "1", "SteamGamepadUI": "1"}, True),
        ({"XDG_CURRENT_DESKTOP": "gamescope", "SteamDeck": "1"}, True),
        ({"XDG_CURRENT_DESKTOP": "gamescope:wlroots", "SteamGamepadUI": "1"}, True),
        # The Deck's desktop, a desktop nested in its game mode, and a gamescope without Steam.
        ({"XDG_CURRENT_DESKTOP": "KDE", "SteamDeck": "1"}, False),
        ({"XDG_CURRENT_DESKTOP": "KDE", "SteamDeck": "1", "SteamGamepadUI": "1"}, False),
        ({"XDG_CURRENT_DESKTOP": "gamescope"}, False),
        ({"XDG_CURRENT_DESKTOP": "gamescope", "SteamDeck": "0"}, False),
        ({}, False),
    ],
)
def test_the_game_mode_of_steam_is_recognized(environment: dict[str, str], expected: bool) -> None:  # noqa: FBT001
    assert is_game_mode(environment) is expected


def _program(folder: Path, name: str, text: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
    return folder / name


def test_a_window_has_a_profile_of_its_own(tmp_path: Path) -> None:
    browser = Browser(["chromium"], tmp_path, has_pipe=True)
    arguments = browser.arguments("file:///open.html", big=True, as_root=False)
    assert f"--user-data-dir={tmp_path}" in arguments
    assert "--app=file:///open.html" in arguments
    assert "--start-fullscreen" in arguments
    assert "--no-sandbox" not in arguments


def test_any_chromium_will_do(tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path)}
    assert find_browser(tmp_path, environment) is None
    program = _program(tmp_path, "google-chrome")
    assert find_browser(tmp_path, environment) == Browser([str(program)], tmp_path, has_pipe=True)


def test_browsers_in_sandboxes_can_use_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flatpak = _program(tmp_path / "flatpaks", "flatpak", '[ "$2" = com.google.Chrome ]')
    found = find_browser(tmp_path / "window", {"PATH": str(flatpak.parent)})
    assert found is not None
    assert found.command[2:] == [
        f"--filesystem={tmp_path}/window",
        "--filesystem=/run/udev:ro",
        "com.google.Chrome",
    ]
    # What it inherits is not passed on into the sandbox.
    assert not found.has_pipe

    monkeypatch.setattr(browsers, "_SNAPS", f"{tmp_path}/snap/bin/")
    snap = _program(tmp_path / "snap/bin", "chromium")
    found = find_browser(tmp_path / "window", {"PATH": str(snap.parent), "HOME": str(tmp_path)})
    assert found is not None
    assert found.profile == tmp_path / "snap/chromium/common/playdock"
