"""Folders with saved games as ZIP archives, which are the same whenever the files are the same."""

import io
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from playdock_client.errors import ClientError
from playdock_client.names import path_problem

# The server's limit.
MAX_BYTES = 512 * 1024 * 1024
_TIME = (1980, 1, 1, 0, 0, 0)
_FILE_MODE = 0o100644
# Ends of the names of folders beside that of the saves: what is being unpacked, and what it replaces.
_NEW, _OLD = ".playdock-new", ".playdock-old"


class BadSave(ClientError):
    """A saved game cannot be packed or unpacked; the message says why."""


def pack(folder: Path) -> bytes | None:
    """Return the archive of the files in a folder, None if it has none. Links are left out.

    Raises:
        BadSave: the files are too large.
        OSError: they cannot be read.
    """
    recover(folder)
    files = sorted(_files(folder), key=lambda each: each.relative_to(folder).parts)
    if sum(each.stat().st_size for each in files) > MAX_BYTES:
        raise BadSave(f"The files in {folder} are larger than {MAX_BYTES} bytes. Name a folder with only saved games.")
    if not files:
        return None
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
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        shutil.rmtree(new, ignore_errors=True)
        raise BadSave(f"The saved game is not an archive that this client can unpack: {error}.") from None
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def recover(folder: Path) -> None:
    """Complete or undo a replacement that was interrupted."""
    old = _beside(folder, _OLD)
    if not old.exists():
        return
    if folder.exists():
        shutil.rmtree(old, ignore_errors=True)
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
    for place, _, names in os.walk(folder):
        files = (Path(place) / name for name in names)
        yield from (each for each in files if each.is_file() and not each.is_symlink())


def _beside(folder: Path, end: str) -> Path:
    return folder.with_name(folder.name + end)
