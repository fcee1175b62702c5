"""The layout of a library: whether games have a folder for each version, guessed from names.

A folder *holds versions* if nothing in it is a part of a game, and what is in it may be versions: folders and archives
with names of versions or platforms, or nothing but archives.
"""

import re
from collections.abc import Iterable

from msgspec import Struct

from playdock.content.archive_names import installer_files, is_installer, is_version_file, parts_among
from playdock.content.releases import is_version_name

# The name of the only version of a game without folders for versions.
DEFAULT_VERSION = "default"


def shown_version(name: str, label: str | None = None) -> str:
    """Return what people see of the name of a version; nothing if only that of its game says which version it is."""
    return label or ("" if name == DEFAULT_VERSION else name)


def titled(game: str, version: str, label: str | None = None) -> str:
    """Return what people see of a version beside others, such as “Doom 1.1”."""
    return f"{game} {shown_version(version, label)}".rstrip()


# Files beside versions that belong to none of them.
_BESIDE = re.compile(
    r".*\.(?:txt|md|nfo|pdf|rtf|html?|url|jpe?g|png|gif|webp|ico|svg|json|xml|ya?ml|sfv|md5|sha\d*|torrent|part|tmp)"
    r"|readme|license|changelog|thumbs\.db|desktop\.ini",
    re.IGNORECASE,
)
# Folders that games consist of.
_PARTS = re.compile(
    r"(?:bin|binaries|lib|libs|lib32|lib64|data|content|contents|engine|assets|resources|res|plugins|mods|maps|sounds?"
    r"|music|textures|shaders|fonts|locales?|lang(?:uages?)?|saves?|config|cfg|docs?|jre|mono(?:bleedingedge)?|redist"
    r"|_?commonredist|__installer|directx|support|share|usr|opt|etc|games|www|.*_data|.*\.app|\d{6,7}|tools)",
    re.IGNORECASE,
)


class Entry(Struct, frozen=True):
    """A file or folder in a game's folder, and whether it could be a version: a folder, an archive or an installer."""

    name: str
    is_folder: bool
    is_version: bool


def holds_versions(game: str, entries: Iterable[Entry]) -> bool:
    """Return whether the folder of a game has a folder or an archive for each version of it."""
    everything = list(entries)
    parts = parts_among(each.name for each in everything)
    found = [each for each in everything if each.name not in parts]
    possible = [each for each in found if each.is_version]
    if not possible or any(_is_part(each) for each in found):
        return False
    folders = [each for each in possible if each.is_folder]
    if not folders:
        # An installer alone is a game with its parts; archives are versions.
        return any(not is_installer(each.name) for each in possible)
    return any(is_version_name(each.name, game=game) for each in folders) or not _has_files(found)


def only_installer(entries: Iterable[Entry]) -> str | None:
    """Return the installer if there is nothing but it, its parts and documents in a folder."""
    found = list(entries)
    installers = [each.name for each in found if each.is_version and is_installer(each.name)]
    if len(installers) != 1 or any(each.is_folder for each in found):
        return None
    parts = set(installer_files(installers[0], (each.name for each in found)))
    others = (each.name for each in found if each.name not in parts)
    return installers[0] if all(_BESIDE.fullmatch(name) for name in others) else None


def _is_part(entry: Entry) -> bool:
    """Return whether something is a part of a game, and not a version or a document beside versions."""
    if entry.is_folder:
        return _PARTS.fullmatch(entry.name) is not None
    return not entry.is_version and _BESIDE.fullmatch(entry.name) is None


def _has_files(entries: Iterable[Entry]) -> bool:
    return any(not each.is_folder and not is_version_file(each.name) for each in entries)
