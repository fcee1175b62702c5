"""Files that people put beside their games and that cannot be imported, and what to do with them instead."""

from playdock.content.programs import suffix_of
from playdock.kit.messages import Message

_ARCHIVES = frozenset({"7z", "bz2", "gz", "rar", "tar", "tgz", "txz", "xz", "zst"})
_DISC_IMAGES = frozenset({"bin", "ccd", "cue", "dmg", "img", "iso", "mdf", "mds", "nrg"})
_PROGRAMS = frozenset({"appimage", "deb", "exe", "msi", "pkg", "rpm", "run", "sh"})


def reason_against(file_name: str) -> Message | None:
    """Return why a file beside the folders of games is not imported, None if it looks like no game at all."""
    suffix = suffix_of(file_name)
    if suffix in _ARCHIVES:
        return Message("archive-unimportable")
    if suffix in _DISC_IMAGES:
        return Message("disc-image-unimportable")
    if suffix in _PROGRAMS:
        return Message("program-without-folder")
    return Message("zip-without-folder") if suffix == "zip" else None
