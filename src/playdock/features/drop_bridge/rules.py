"""Pure decisions about Drop's clients: names, chunks of files, links, and texts of commands."""

import re
import shlex
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import accumulate
from posixpath import dirname, join, normpath

from msgspec import Struct

from playdock.content.file_table import FileTable, ServedFile
from playdock.content.programs import Platform
from playdock.content.records import LinkRecord

# The size at which Drop cuts files.
CHUNK_BYTES = 64 * 1024 * 1024
MD5_BYTES = 16
# Drop's clients resume a download that was paused for less than this.
CONTEXT_LIFETIME = timedelta(hours=1)
# The use of a context is recorded at most this often, because recording it is a write.
CONTEXT_NOTED_EVERY = timedelta(minutes=5)
# What a client offers; others are ignored.
CLOUD_SAVES = "cloudsaves"
CAPABILITIES = frozenset({"peerapi", "userstatus", CLOUD_SAVES, "trackplaytime"})
CODE_LETTERS = "0123456789ABCDEF"
CODE_LENGTH = 7
# A client that waits for the approval of a code is looked for this often; it is gone after three times as long.
POLL_SECONDS = 1.0
LISTENING = timedelta(seconds=3 * POLL_SECONDS + 5)
# How many links lead from one link to a file at most: Linux follows 40.
_MAX_LINKS = 40
_REGULAR_FILE = 0o100000
# With less than this the client could not read the file again to verify it.
_READABLE = 0o644
_EXECUTABLE = 0o755
_UNSAFE = re.compile(r"[^\w .()\[\]&'+,!-]")


class InstalledPath(Struct, frozen=True):
    """A file of an installation, at the path at which it is installed; a link is installed as a copy."""

    path: str
    file: ServedFile


def chunk_lengths(size: int) -> list[int]:
    """Return the lengths of the chunks of a file; an empty file has one empty chunk."""
    full, rest = divmod(size, CHUNK_BYTES)
    return [CHUNK_BYTES] * full + ([rest] if rest or not full else [])


def count_chunks(size: int) -> int:
    return max(1, -(-size // CHUNK_BYTES))


def chunk_starts(table: FileTable) -> Sequence[int]:
    """Return the number of the first chunk of each file of a layer, counting all chunks of the layer."""
    return list(accumulate((count_chunks(size) for size in table.sizes), initial=0))


def platform_of(name: str) -> Platform | None:
    try:
        return Platform.parse(name)
    except ValueError:
        return None


def knows_any(capabilities: Iterable[str]) -> bool:
    """Return whether at least one of some capabilities is known, or there are none."""
    names = {name.lower() for name in capabilities}
    return not names or bool(names & CAPABILITIES)


def stored_capabilities(names: Iterable[str]) -> str:
    """Return the known ones of some capabilities, as they are stored."""
    return ",".join(sorted(CAPABILITIES & {name.lower() for name in names}))


def can_save(capabilities: str | None) -> bool:
    """Return whether a device may use saved games. What devices of earlier releases can do is not known."""
    return capabilities is None or CLOUD_SAVES in capabilities.split(",")


def v1_platform(platform: str) -> str:
    """Return a platform as clients of Drop 0.3 can read it."""
    return "MacOs" if platform == Platform.MACOS else platform


def command_line(program: str, arguments: str, *, platform: str) -> str:
    """Return a command as clients of Drop 0.4 read it: as a shell does, on all platforms."""
    return shlex.join([program, *_words(arguments, platform)]) if program else ""


def _words(arguments: str, platform: str) -> list[str]:
    r"""Split arguments like our client. On Windows ``\`` and ``'`` have no special meaning."""
    lexer = shlex.shlex(arguments, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    if platform == Platform.WINDOWS:
        lexer.escape, lexer.quotes = "", '"'
    try:
        return list(lexer)
    except ValueError:
        # A quotation is not closed. Our client refuses it; Drop's gets something that it can start.
        return arguments.split()


def split_arguments(text: str) -> list[str]:
    return text.split(" ")


def folder_name(path: str) -> str:
    """Return the name of the folder in which a client installs a game."""
    return _UNSAFE.sub("_", path.rpartition("/")[2]).strip(" .") or "game"


def permissions(mode: int, *, launched: bool) -> int:
    """Return the mode of a file, which is readable, and executable if it is a program."""
    return _REGULAR_FILE | mode | (_EXECUTABLE if launched or mode & 0o111 else _READABLE)


def installed_paths(table: FileTable, links: Sequence[LinkRecord]) -> Iterator[InstalledPath]:
    """Yield the files of an installation, with a copy of the file or the folder that each link names."""
    for index in range(len(table)):
        file = table[index]
        yield InstalledPath(file.path, file)
    yield from copies(table, links)


def copies(table: FileTable, links: Sequence[LinkRecord]) -> Iterator[InstalledPath]:
    """Yield the copies of files that links are installed as."""
    targets = {link.path: normpath(join(dirname(link.path), link.target)) for link in links}
    for path in targets:
        yield from _copies(path, _follow(targets, path), table)


def _follow(targets: Mapping[str, str], path: str) -> str:
    for _ in range(_MAX_LINKS):
        path = targets.get(path, path)
    return path


def _copies(path: str, target: str, table: FileTable) -> Iterator[InstalledPath]:
    file = table.find(target)
    if file:
        yield InstalledPath(path, file)
        return
    folder = f"{target}/"
    for index in range(bisect_left(table.paths, folder), len(table)):
        name = table.paths[index]
        if not name.startswith(folder):
            return
        yield InstalledPath(f"{path}/{name.removeprefix(folder)}", table[index])
