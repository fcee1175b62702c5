"""The client's folders: credentials, the list of installations, games, and Wine prefixes."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import platformdirs

HOME_VARIABLE = "PLAYDOCK_CLIENT_HOME"
_APPLICATION = "playdock-client"
# Leaves room for the game's own paths within the 260 characters of Windows.
_MAX_NAME_LENGTH = 60
_UNSAFE = re.compile(r'[<>:"/\\|?*]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ClientFolders:
    """The folders for settings and for data."""

    config: Path
    data: Path

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Return the platform's folders, or the one set in the environment for both."""
        if home := environment.get(HOME_VARIABLE):
            return cls(Path(home).absolute(), Path(home).absolute())
        return cls(
            Path(platformdirs.user_config_dir(_APPLICATION, appauthor=False)),
            Path(platformdirs.user_data_dir(_APPLICATION, appauthor=False)),
        )

    @property
    def credentials(self) -> Path:
        return self.config / "credentials.json"

    @property
    def installations(self) -> Path:
        return self.data / "installations"

    @property
    def sessions(self) -> Path:
        return self.data / "sessions"

    def artwork(self, game_id: str) -> Path:
        """Return the folder with the pictures of a game."""
        return self.data / "artwork" / folder_name(game_id)

    def game(self, name: str) -> Path:
        """Return the default folder of a game."""
        return self.data / "games" / folder_name(name)

    def prefix(self, game_id: str) -> Path:
        """Return the Wine prefix of a Windows game."""
        return self.data / "prefixes" / folder_name(game_id)


def home_of(environment: Mapping[str, str]) -> Path:
    """Return the player's folder."""
    home = environment.get("HOME", "")
    return Path(home) if home else Path.home()


def folder_name(text: str) -> str:
    """Return a folder name made from any text that is valid on Linux, Windows and macOS."""
    visible = "".join(" " if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") else letter for letter in text)
    name = " ".join(_UNSAFE.sub(" ", visible).split())[:_MAX_NAME_LENGTH].strip(". ")
    return f"_{name}" if not name or _RESERVED.fullmatch(name) else name
