"""A folder with clients that a server offers."""

import hashlib
from pathlib import Path
from random import Random

from playdock.features.client_downloads.rules import ARCHIVE_END
from reproducible import gzipped, tar_entries

WINDOWS = "playdock-setup-0.2.0-windows-x86_64.exe"
LINUX = "playdock-client-0.2.0-linux-x86_64.tar.gz"
WHEEL = "playdock_client-0.2.0-py3-none-any.whl"
SETUP = b"MZ" + bytes(range(256)) * 2000


def write_clients(folder: Path) -> None:
    """Write a client for each system, and what must not be offered."""
    program = folder.parent / "playdock-client"
    program.mkdir()
    (program / "install.sh").write_bytes(Random(1).randbytes(5000))
    archive = gzipped(tar_entries(program, name="playdock-client", epoch=1_700_000_000)) + ARCHIVE_END
    folder.mkdir()
    files = {
        WINDOWS: SETUP,
        "playdock-setup-0.1.9-windows-x86_64.exe": b"older",
        "playdock-setup-0.10.0-windows-x86_64.exe": b"not in the list of checksums",
        LINUX: archive,
        WHEEL: b"PK",
        "secret.txt": b"not a client",
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    sums = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items() if "0.10" not in name]
    (folder / "SHA256SUMS").write_text("".join(sums))
