"""A folder of versions, and a server with updates for it."""

import hashlib
import io
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest

from playdock_client.updating.offers import ClientOffer
from playdock_client.updating.versions import Versions


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the standard library
        """Write no log."""


@dataclass(frozen=True, slots=True)
class FakeServer:
    """Serves files as downloads of the client."""

    address: str
    folder: Path

    def offer(self, version: str, files: dict[str, bytes]) -> ClientOffer:
        """Offer an update with these files."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
            for name, content in files.items():
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(content), 0o755
                archive.addfile(entry, io.BytesIO(content))
        return self.offer_bytes(version, buffer.getvalue())

    def list_offers(self, *offers: ClientOffer) -> None:
        """Write the list that clients ask for."""
        (self.folder / "api/v1/client-updates").write_bytes(msgspec.json.encode(offers))

    def offer_bytes(self, version: str, data: bytes) -> ClientOffer:
        name = f"playdock-update-{version}-linux-x86_64.tar.xz"
        path = self.folder / "api/v1/client-downloads" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return ClientOffer(name, "Linux", version, len(data), hashlib.sha256(data).hexdigest())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FakeServer]:
    (tmp_path / "served").mkdir()
    handler = partial(_Quiet, directory=str(tmp_path / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=[0.05], daemon=True)
        thread.start()
        yield FakeServer(f"http://127.0.0.1:{http.server_address[1]}", tmp_path / "served")
        http.shutdown()
        thread.join()


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    (tmp_path / "versions").mkdir()
    return Versions(tmp_path / "versions")


def program_files(version: str) -> dict[str, bytes]:
    return {"playdock-client": f"#!/bin/sh\necho {version}\n".encode(), "_internal/data": b"data"}
