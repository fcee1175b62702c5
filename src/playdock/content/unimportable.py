"""Files that people put beside their games and that cannot be imported, and what to do with them instead."""

from playdock.content.archive_names import is_version_file
from playdock.content.programs import suffix_of
from playdock.kit.messages import Message

_ARCHIVES = frozenset({"bz2", "gz", "lz", "rar", "xz", "zst"})
_DISC_IMAGES = frozenset({"bin", "ccd", "cue", "dmg", "img", "mdf", "mds", "nrg"})
_PROGRAMS = frozenset({"appimage", "deb", "exe", "msi", "pkg", "rpm", "run", "sh"})


def reason_against(file_name: str) -> Message | None:
    """Return why a file beside the folders of games is not imported, None if it looks like no game at all.

    Files and folders whose names are not UTF-8, and have surrogates, are refused too.
    """
    if any("\ud800" <= letter <= "\udfff" for letter in file_name):
        return Message("name-not-utf8")
    if is_version_file(file_name):
        return Message("archive-without-folder")
    suffix = suffix_of(file_name)
    if suffix in _ARCHIVES:
        return Message("archive-unimportable")
    if suffix in _DISC_IMAGES:
        return Message("disc-image-unimportable")
    return Message("program-without-folder") if suffix in _PROGRAMS else None
