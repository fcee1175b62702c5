"""Where things lie on this machine: the sign-ins, the list of installations, the games, the Windows prefixes."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import platformdirs

HOME_VARIABLE = "PLAYDOCK_CLIENT_HOME"
_APPLICATION = "playdock-client"
_LONGEST_NAME = 60
_UNSAFE = re.compile(r'[<>:"/\\|?*]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Places:
    """The two folders that are ours: what the player has settled, and what grows."""

    config: Path
    data: Path

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """Find them as the platform has them, or both in the one folder that the environment names."""
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

    def game(self, name: str) -> Path:
        """Give the folder that a game is installed to unless the player says otherwise."""
        return self.data / "games" / folder_name(name)

    def prefix(self, game_id: str) -> Path:
        """Give the folder that a Windows game finds its Windows in."""
        return self.data / "prefixes" / folder_name(game_id)


def folder_name(text: str) -> str:
    """Make of any text the name of one folder that Linux, Windows and macOS all take."""
    visible = "".join(" " if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") else letter for letter in text)
    name = " ".join(_UNSAFE.sub(" ", visible).split())[:_LONGEST_NAME].strip(". ")
    return f"_{name}" if not name or _RESERVED.fullmatch(name) else name
