"""A server for the client that tells the truth unless a test wants otherwise: the calls that installing needs."""

import json
import re
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import zstandard
from blake3 import blake3

GAME = "game-1"


@dataclass
class HostileVersion:
    """A version as a test makes it; `edit` may turn its manifest into anything."""

    id: str
    files: dict[str, bytes]
    modes: dict[str, int] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    chunk: int = 64 * 1024
    edit: Callable[[dict[str, Any]], None] = lambda manifest: None

    @cached_property
    def image(self) -> bytes:
        return b"".join(self.files[path] for path in sorted(self.files))

    @cached_property
    def manifest(self) -> bytes:
        files, offset = [], 0
        for path in sorted(self.files):
            files.append(self._file(path, offset=offset))
            offset += len(self.files[path])
        manifest = {
            "format": 1,
            "game": GAME,
            "version": self.id,
            "size": offset,
            "images": [{"version": self.id, "size": offset}],
            "files": files,
            "links": [{"path": path, "target": target} for path, target in sorted(self.links.items())],
            "removed": [],
        }
        self.edit(manifest)
        return json.dumps(manifest).encode()

    @cached_property
    def etag(self) -> str:
        return blake3(self.manifest).hexdigest()

    def _file(self, path: str, *, offset: int) -> dict[str, Any]:
        data = self.files[path]
        parts = [data[start : start + self.chunk] for start in range(0, len(data), self.chunk)]
        chunks = [(len(part), blake3(part).hexdigest()) for part in parts]
        ids = b"".join(bytes.fromhex(name) for _, name in chunks)
        hashed = chunks[0][1] if len(chunks) == 1 else blake3(ids).hexdigest()
        mode = self.modes.get(path, 0o644)
        described = {"path": path, "size": len(data), "mode": mode, "image": 0, "offset": offset, "crc32": 0}
        return {**described, "hash": hashed, "chunks": chunks}


class LinedVersion(HostileVersion):
    """A version whose manifest is in lines of two files."""

    @cached_property
    def manifest(self) -> bytes:
        whole: dict[str, Any] = json.loads(super().manifest)
        files = [json.dumps(file, separators=(",", ":")) for file in whole.pop("files")]
        tail = {name: whole.pop(name) for name in ("links", "removed")}
        lines = [",".join(files[start : start + 2]) for start in range(0, len(files), 2)]
        entries = ",\n".join(lines)
        return f'{json.dumps(whole)[:-1]},"files":[\n{entries}\n],{json.dumps(tail)[1:]}'.encode()


@dataclass
class HostileServer:
    """What it serves, and how it lies.

    `mirrors` are the addresses of its mirrors, and `linked` that of its links to files, which can be others like it.
    `tamper` changes what leaves, `cut` says after how many bytes of a body to break off, `cut_head` after how many of
    the head. `refusals` answer the next requests for bytes, `refuse` gives a status for all requests of a path.
    """

    address: str = ""
    versions: dict[str, HostileVersion] = field(default_factory=dict)
    patches: dict[tuple[str, str], tuple[dict[str, Any], bytes]] = field(default_factory=dict)
    mirrors: list[str] = field(default_factory=list)
    linked: str = ""
    requests: list[str] = field(default_factory=list)
    credentials: set[str] = field(default_factory=set)
    refusals: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    refuse: Callable[[str], int | None] = lambda path: None
    tamper: Callable[[bytes], bytes] = lambda body: body
    cut: Callable[[], int | None] = lambda: None
    cut_head: Callable[[], int | None] = lambda: None
    limits: dict[str, Any] = field(default_factory=dict)
    pause: threading.Event = field(default_factory=threading.Event)

    def serve(self, *versions: HostileVersion) -> None:
        self.versions.update((version.id, version) for version in versions)

    def patch_bytes(self, set_id: str) -> bytes:
        return next(data for found, data in self.patches.values() if found["id"] == set_id)

    def fetches(self) -> list[str]:
        """Return the requests for bytes of images."""
        return [each for each in self.requests if "/content" in each]


@contextmanager
def lying_server() -> Iterator[HostileServer]:
    """Run one on a free port of loopback."""
    hostile = HostileServer()
    http = _Http(("127.0.0.1", 0), type("Handler", (_Handler,), {"hostile": hostile}))
    hostile.address = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, args=[0.02])
    thread.start()
    try:
        yield hostile
    finally:
        hostile.pause.set()
        http.shutdown()
        thread.join()
        http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are what is tested."""


class _Handler(BaseHTTPRequestHandler):
    hostile: HostileServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.hostile.requests.append(self.path)
        self.hostile.credentials.add(self.headers.get("Authorization", ""))
        parts, query = urlsplit(self.path).path.strip("/").split("/"), parse_qs(urlsplit(self.path).query)
        if refused := self.hostile.refuse(self.path):
            self._problem(refused, "refused")
        elif self.hostile.refusals and ("content" in parts or parts[2] == "patches"):
            status, headers = self.hostile.refusals.pop(0)
            self._answer(status, b"{}", headers)
        elif parts[2:] == ["user", "limits"]:
            self._answer(200, json.dumps(self.hostile.limits).encode())
        elif parts[2] == "patches":
            self._range(
                next(data for found, data in self.hostile.patches.values() if found["id"] == parts[3]), etag=parts[3]
            )
        elif parts[2] == "versions" and parts[3] in self.hostile.versions:
            self._version(self.hostile.versions[parts[3]], parts[4], query)
        else:
            self._problem(404, "version-unknown")

    def _version(self, version: HostileVersion, call: str, query: dict[str, list[str]]) -> None:
        if call == "manifest":
            self._manifest(version)
        elif call == "mirrors":
            ticket = "a-ticket" if self.hostile.mirrors else None
            found = {"mirrors": self.hostile.mirrors, "etag": version.etag, "ticket": ticket, "expiresIn": 600}
            self._answer(200, json.dumps({**found, "fileLinks": bool(self.hostile.linked)}).encode())
        elif call == "file-links":
            url = f"{self.hostile.linked}/api/v1/versions/{version.id}/content?signature=a%20b"
            links = [{"start": 0, "size": len(version.image), "url": url}]
            self._answer(200, json.dumps({"links": links, "until": len(version.image), "expiresIn": 600}).encode())
        elif call == "patches":
            patches = self.hostile.patches.get((query["from"][0], version.id))
            if patches is None:
                self._problem(404, "version-unknown")
            else:
                self._answer(200, json.dumps(patches[0]).encode())
        elif "frames" in query:
            self._frames(version, int(query["start"][0]), int(query["end"][0]))
        else:
            self._range(version.image, etag=version.etag)

    def _manifest(self, version: HostileVersion) -> None:
        etag = f'"{version.etag}"'
        if self.headers.get("If-None-Match") == etag:
            self._answer(304, b"", {"ETag": etag})
        else:
            packed = zstandard.compress(version.manifest)
            self._answer(200, packed, {"ETag": etag, "Content-Encoding": "zstd"})

    def _range(self, data: bytes, *, etag: str) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        guard = self.headers.get("If-Range", f'"{etag}"')
        if wanted is None or guard != f'"{etag}"':
            self._answer(200, data, {"ETag": f'"{etag}"'})
            return
        start, end = int(wanted[1]), min(int(wanted[2]) + 1, len(data))
        where = f"bytes {start}-{end - 1}/{len(data)}"
        self._answer(206, data[start:end], {"ETag": f'"{etag}"', "Content-Range": where}, tampered=True)

    def _frames(self, version: HostileVersion, start: int, end: int) -> None:
        plain = version.image[start:end]
        parts = [plain[place : place + 2**20] for place in range(0, len(plain), 2**20)]
        frames = [zstandard.compress(part) for part in parts]
        table = b"".join(struct.pack("<II", len(frame), len(part)) for frame, part in zip(frames, parts, strict=True))
        table += struct.pack("<IBI", len(frames), 0, 0x8F92EAB1)
        body = b"".join(frames) + struct.pack("<II", 0x184D2A5E, len(table)) + table
        headers = {"ETag": f'"{version.etag}"', "Content-Type": "application/zstd"}
        self._answer(200, body, headers, tampered=True)

    def _answer(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, *, tampered: bool = False
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        cut_head = self.hostile.cut_head() if tampered else None
        if cut_head is not None:
            self._break_off(cut_head)
            return
        self.end_headers()
        body = self.hostile.tamper(body) if tampered else body
        cut = self.hostile.cut() if tampered else None
        self.wfile.write(body[:cut])
        if cut is not None and cut < len(body):
            self.close_connection = True

    def _break_off(self, place: int) -> None:
        """Send so much of the head only."""
        self.wfile.write(b"".join(vars(self).pop("_headers_buffer"))[:place])
        self.close_connection = True

    def _problem(self, status: int, code: str) -> None:
        self._answer(status, json.dumps({"type": code, "detail": f"It is {code}."}).encode())
