"""Folders with saved games as ZIP archives: the same files make the same archive, wherever and whenever.

Only another version of zlib may compress them differently.
"""

import io
import lzma
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from playdock_client.errors import ClientError
from playdock_client.names import path_problem, quoted

# The server's limit.
MAX_BYTES = 512 * 1024 * 1024
_TIME = (1980, 1, 1, 0, 0, 0)
_FILE_MODE = 0o100644
# Ends of the names of folders beside that of the saves: what is being unpacked, what it replaces, and what it replaced.
_NEW, _OLD, _REPLACED = ".playdock-new", ".playdock-old", ".playdock-replaced"
# Of archives that are damaged, or that other programs have made.
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
)


class BadSave(ClientError):
    """A saved game cannot be packed or unpacked; the message says why."""


def pack(folder: Path) -> bytes | None:
    """Return the archive of the files in a folder, None if it has none. Links are left out.

    Raises:
        BadSave: the files are too large, or one has a name that not every system allows.
        OSError: not all of them can be read.
    """
    recover(folder)
    files = sorted(_files(folder), key=lambda each: each.relative_to(folder).parts)
    if sum(each.stat().st_size for each in files) > MAX_BYTES:
        raise BadSave(f"The files in {folder} are larger than {MAX_BYTES} bytes. Name a folder with only saved games.")
    if not files:
        return None
    for file in files:
        name = file.relative_to(folder).as_posix()
        if problem := path_problem(name):
            raise BadSave(f"The file {quoted(name)} in {folder} cannot be saved: {problem}.")
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), _TIME)
            entry.external_attr, entry.create_system = _FILE_MODE << 16, 3
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return written.getvalue()


def unpack(content: bytes, folder: Path) -> None:
    """Replace the files in a folder with those of an archive, or change nothing.

    Raises:
        BadSave: it is not an archive that `pack` has made.
        OSError: the files cannot be written.
    """
    recover(folder)
    new, old = _beside(folder, _NEW), _beside(folder, _OLD)
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    try:
        _extract(content, new)
    except _UNREADABLE as error:
        shutil.rmtree(new, ignore_errors=True)
        raise BadSave(f"The saved game is not an archive that this client can unpack: {error}.") from None
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if folder.exists():
        folder.rename(old)
    try:
        new.rename(folder)
    except OSError:
        recover(folder)
        raise
    recover(folder, is_replaced=True)


def recover(folder: Path, *, is_replaced: bool = False) -> None:
    """Undo a replacement that was interrupted, or complete one whose new files are in place.

    Raises:
        BadSave: there are files of before and others, of which no one knows whether they are new.
        OSError: folders cannot be renamed.
    """
    old, replaced = _beside(folder, _OLD), _beside(folder, _REPLACED)
    shutil.rmtree(replaced, ignore_errors=True)
    if not old.exists():
        return
    if is_replaced:
        old.rename(replaced)
        shutil.rmtree(replaced, ignore_errors=True)
    elif folder.exists():
        raise BadSave(f"{old} has saved games from before. Move them to {folder}, or delete them.")
    else:
        old.rename(folder)


def _extract(content: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = [each for each in archive.infolist() if not each.is_dir()]
        if sum(each.file_size for each in entries) > MAX_BYTES:
            raise ValueError("its files are too large")
        for entry in entries:
            if problem := path_problem(entry.filename):
                raise ValueError(f"{entry.filename!r}: {problem}")
            file = folder / entry.filename
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("wb") as written:
                written.write(archive.read(entry))
                written.flush()
                os.fsync(written.fileno())


def _files(folder: Path) -> Iterator[Path]:
    if not folder.exists():
        return
    for place, _, names in os.walk(folder, onerror=_raise):
        files = (Path(place) / name for name in names)
        yield from (each for each in files if each.is_file() and not each.is_symlink())


def _raise(error: OSError) -> None:
    """Do not leave out a folder that cannot be read: others would lose its files."""
    raise error


def _beside(folder: Path, end: str) -> Path:
    return folder.with_name(folder.name + end)
