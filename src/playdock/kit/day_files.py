"""Files with lines, one for each day (UTC), which are deleted after a number of days."""

import errno
import os
import re
from datetime import date, timedelta
from pathlib import Path

from msgspec import Struct

_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})\.jsonl")
# Only the user of the service may read what others may not know of the users.
_FILE_MODE = 0o600
_FOLDER_MODE = 0o700


class DayFiles(Struct, frozen=True):
    """The files in a folder, which is created with the first line. With 0 days, no file is kept."""

    folder: Path
    days: int

    def append(self, line: bytes, *, day: date, max_bytes: int) -> bool:
        """Append a line to the file of a day. Return False if the file is already that large.

        One write of a short line to a file opened for appending is atomic, so that several processes can write to the
        same file. A line that an earlier write left incomplete, because the disk was full, is ended first.

        Raises:
            OSError: the line was not written, or only a part of it.
        """
        self.folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)
        path = self.folder / f"{day.isoformat()}.jsonl"
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE)
        try:
            size = os.fstat(descriptor).st_size
            if size >= max_bytes:
                return False
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                line = b"\n" + line
            if os.write(descriptor, line) < len(line):
                raise OSError(errno.ENOSPC, "only a part of the line was written", str(path))
        finally:
            os.close(descriptor)
        return True

    def delete_expired(self, *, today: date) -> None:
        """Delete the files of days that need not be kept any longer. Other files in the folder are kept.

        Raises:
            OSError: the folder cannot be read, or a file cannot be deleted.
        """
        first_kept = (today - timedelta(days=self.days)).isoformat()
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if (day := _NAME.fullmatch(path.name)) and (not self.days or day[1] < first_kept):
                path.unlink(missing_ok=True)
