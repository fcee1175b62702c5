"""Whether the app begins in big mode by itself."""

import pytest

from playdock_client.app.window import is_game_mode


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
