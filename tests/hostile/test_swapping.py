"""A member who can write to a library swaps folders for links, as fast as possible, during imports and downloads."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.file_table import ServedFile
from playdock.sending.files import ContentMismatch
from playdock.storage.archives import Archives
from playdock.storage.backends import Filesystem, GameUnreadable, NotListed
from playdock.storage.ingest import ingest
from playdock.storage.locations import VersionLocation
from playdock.storage.openers import VersionOpener

pytestmark = pytest.mark.heavy

INSIDE, OUTSIDE = b"a game", b"secret"
_ATTEMPTS = 2000


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for place, content in (("games", INSIDE), ("private", OUTSIDE)):
        version = tmp_path / place / "Doom/1.0"
        version.mkdir(parents=True)
        (version / "doom").write_bytes(content)
    return tmp_path / "games"


@contextmanager
def swapping(path: Path, target: Path) -> Iterator[None]:
    """Replace a folder with a link and the link with the folder, again and again."""
    link, folder = path.with_name(".link"), path.with_name(".folder")
    link.symlink_to(target)
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            path.rename(folder)
            link.rename(path)
            path.rename(link)
            folder.rename(path)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("swapped", ["Doom", "Doom/1.0"])
def test_no_import_reads_what_a_link_leads_to(base: Path, swapped: str) -> None:
    library, hashes = Filesystem(base), set()
    refused = (NotListed, GameUnreadable, UnusableVersion, VersionChanged, FileNotFoundError, NotADirectoryError)
    with swapping(base / swapped, base.parent / "private" / swapped):
        for _ in range(_ATTEMPTS):
            with suppress(*refused):
                layer = ingest(library.open("Doom", "1.0"), workers=1, checkpoint=lambda _: None)
                hashes |= {file.hash for file in layer.files}

    ours = ingest(library.open("Doom", "1.0"), workers=1, checkpoint=lambda _: None)
    assert hashes == {file.hash for file in ours.files}


@pytest.mark.parametrize("swapped", ["Doom", "Doom/1.0"])
def test_no_download_sends_what_a_link_leads_to(base: Path, swapped: str) -> None:
    location, archives = VersionLocation(base, "Doom/1.0"), Archives(base.parent / "cache", 1000)
    modified = (base / "Doom/1.0/doom").stat().st_mtime_ns
    os.utime(base.parent / "private/Doom/1.0/doom", ns=(modified, modified))
    served = ServedFile(0, "doom", len(INSIDE), 0o644, modified, 0, bytes(32))
    found = set()
    with swapping(base / swapped, base.parent / "private" / swapped):
        for _ in range(_ATTEMPTS):
            opener = VersionOpener([location], archives)
            try:
                opened = opener.open(served)
                with os.fdopen(opened.descriptor, "rb") as content:
                    found.add(content.read())
            except ContentMismatch:
                continue
            finally:
                opener.release()

    assert found == {INSIDE}
