"""Archives and folders that are the same bytes for the same content: sorted, with fixed times, owners and modes."""

import gzip
import io
import os
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The earliest time that a ZIP archive can hold.
_FIRST_ZIP_TIME = 315_532_800


def source_date_epoch() -> int:
    """Return SOURCE_DATE_EPOCH (reproducible-builds.org), else the time of the commit, else the earliest ZIP time."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    git = ("git", "-C", str(ROOT), "log", "-1", "--format=%ct")
    told = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    return max(int(told), _FIRST_ZIP_TIME) if told else _FIRST_ZIP_TIME


def set_times(folder: Path, *, epoch: int) -> None:
    """Set the times of a folder and of everything in it."""
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def tar_entries(folder: Path, *, name: str, epoch: int) -> bytes:
    """Return a tar archive of a folder as ``name``, without the two empty blocks that end an archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted((folder, *folder.rglob("*"))):
            entry = archive.gettarinfo(path, arcname=str(Path(name, path.relative_to(folder))))
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = epoch
            entry.mode = 0o777 if entry.issym() else 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            if entry.isreg():
                with path.open("rb") as content:
                    archive.addfile(entry, content)
            else:
                archive.addfile(entry)
        end = archive.offset
    return buffer.getvalue()[:end]


def update_archive(folder: Path, *, epoch: int) -> bytes:
    """Return the compressed archive of an update: the regular files of a folder, and nothing else."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
            entry.size, entry.mtime = path.stat().st_size, epoch
            entry.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            with path.open("rb") as content:
                archive.addfile(entry, content)
    return buffer.getvalue()


def gzipped(data: bytes) -> bytes:
    """Return one gzip member without a time."""
    return gzip.compress(data, compresslevel=9, mtime=0)


def zipped(files: Mapping[str, bytes], *, epoch: int) -> bytes:
    """Return a ZIP archive of files by name."""
    buffer = io.BytesIO()
    moment = datetime.fromtimestamp(epoch, UTC)
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, (moment.year, moment.month, moment.day, moment.hour, moment.minute, 0))
            info.external_attr = 0o644 << 16
            archive.writestr(info, files[name], compress_type=zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
