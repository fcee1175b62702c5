"""The files that are versions, recognized by their names: archives, and installers with their parts."""

import re
from collections.abc import Iterable
from enum import StrEnum


class ArchiveFormat(StrEnum):
    """The format of an archive. All but ZIP are *sequential*: they are unpacked as a whole."""

    ZIP = "zip"
    SEVEN_ZIP = "7z"
    RAR = "rar"
    ISO = "iso"
    TAR = "tar"


_SUFFIXES = {
    ArchiveFormat.ZIP: r"zip",
    ArchiveFormat.SEVEN_ZIP: r"7z",
    ArchiveFormat.RAR: r"rar",
    ArchiveFormat.ISO: r"iso",
    ArchiveFormat.TAR: r"tar(?:\.(?:gz|bz2|xz|zst|lzma|lz4|lz|z))?|tgz|tbz2?|txz|tzst|tlz",
}
_SUFFIX = re.compile(r"\.(?:" + "|".join(f"({suffix})" for suffix in _SUFFIXES.values()) + ")$", re.IGNORECASE)
_FORMATS = tuple(_SUFFIXES)
# All volumes of an archive belong to its first one.
_LATER_VOLUME = re.compile(r"\.part(?!0*1\.)\d+\.rar$", re.IGNORECASE)
_FIRST_VOLUME = re.compile(r"\.part0*1\.rar$", re.IGNORECASE)
_EXECUTABLE = re.compile(r"\.exe$", re.IGNORECASE)
_PART = re.compile(r"(.+)-\d+[a-z]?\.bin", re.IGNORECASE)
_INSTALLER = re.compile(r"setup[ _-].*\.exe", re.IGNORECASE)


def archive_format(name: str) -> ArchiveFormat | None:
    """Return the format that the name of an archive shows, None for any other name and for further volumes."""
    match = _SUFFIX.search(name)
    if match is None or _LATER_VOLUME.search(name):
        return None
    return _FORMATS[(match.lastindex or 0) - 1]


def is_first_volume(name: str) -> bool:
    """Return whether the name is that of the first of several volumes of an archive."""
    return _FIRST_VOLUME.search(name) is not None


def is_installer(name: str) -> bool:
    """Return whether a file beside the versions is an installer: `setup_….exe`."""
    return _INSTALLER.fullmatch(name) is not None


def is_version_file(name: str) -> bool:
    """Return whether a file with this name is a version."""
    return is_installer(name) or archive_format(name) is not None


def installer_files(installer: str, names: Iterable[str]) -> list[str]:
    """Return the installer and its parts among the names in its folder, such as `setup_game-1.bin`."""
    part = re.compile(rf"{re.escape(installer[: -len('.exe')])}-\d+[a-z]?\.bin", re.IGNORECASE)
    return sorted(name for name in names if name == installer or part.fullmatch(name))


def parts_among(names: Iterable[str]) -> set[str]:
    """Return the names of files in a folder that are parts of installers in it."""
    found = list(names)
    stems = {name[: -len(".exe")].lower() for name in found if is_installer(name)}
    return {name for name in found if (part := _PART.fullmatch(name)) and part[1].lower() in stems}


def has_several_files(name: str) -> bool:
    """Return whether a version with this name may consist of several files, whose names belong together."""
    return is_installer(name) or is_first_volume(name)


def files_of(name: str, names: Iterable[str]) -> list[str]:
    """Return the files among the names in a folder that an archive or installer consists of."""
    if is_installer(name):
        return installer_files(name, names)
    volumes = re.compile(rf"{re.escape(_FIRST_VOLUME.sub('', name))}{_LATER_VOLUME.pattern}", re.IGNORECASE)
    return sorted(each for each in names if each == name or volumes.fullmatch(each))


def without_suffix(name: str) -> str:
    """Return the name of an archive or installer without its suffix, and the first of several volumes without both."""
    volume = _FIRST_VOLUME.search(name)
    suffix = volume or _SUFFIX.search(name) or _EXECUTABLE.search(name)
    return name[: suffix.start()] if suffix else name


def unpacked_name(name: str) -> str:
    """Return the name of the folder for what an archive or installer contains."""
    whole = without_suffix(name)
    short = re.sub(r"^setup[ _-]+", "", whole, flags=re.IGNORECASE) if is_installer(name) else whole
    # Names that begin with a dot are hidden, and Windows opens none that end with a dot or a space.
    return short.strip(". ") or whole.strip(". ") or name
