"""An S3 server in this process, with faults, for what does not depend on a real one.

It knows the calls that Playdock uses, compares access keys, and checks no signatures. The tests with
`radosgw.py` make the same calls to a real server.
"""

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from playdock.kit.s3_location import S3Location

ACCESS_KEY = "AKPLAYDOCK"
BUCKET = "games"
PREFIX = "play/dock"
_PATIENCE = 120.0
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


@dataclass(frozen=True, slots=True)
class Stored:
    """The content of an object, and when it was written."""

    content: bytes
    modified: datetime

    @property
    def etag(self) -> str:
        return f'"{hashlib.md5(self.content, usedforsecurity=False).hexdigest()}"'


@dataclass
class S3Server:
    """The objects of one bucket by name, what was requested, and what goes wrong.

    ``failing`` is an error that all calls return: its status and code. Responses end or stall after ``cut_at`` or
    ``stall_at`` bytes of content, ``faults`` times.
    """

    address: str = ""
    objects: dict[str, Stored] = field(default_factory=dict)
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    failing: tuple[int, str] | None = None
    cut_at: int | None = None
    stall_at: int | None = None
    faults: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)

    def location(self, **other: Any) -> S3Location:
        """Return where services store objects here."""
        given = {"bucket": BUCKET, "prefix": PREFIX, "endpoint": self.address, "access_key_id": ACCESS_KEY}
        return S3Location(**{**given, "secret_access_key": "any", **other})

    def spends_fault(self) -> bool:
        """Return whether a response has a fault; each has one."""
        self.faults -= 1
        return self.faults >= 0


@contextmanager
def running_s3() -> Iterator[S3Server]:
    """Run a server with an empty bucket."""
    server = S3Server()
    handler = type("Handler", (_Handler,), {"s3": server})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        server.address = f"http://127.0.0.1:{listening.server_port}"
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.05}, name="s3")
        thread.start()
        try:
            yield server
        finally:
            server.stopping.set()
            listening.shutdown()
            thread.join(_PATIENCE)


class _Handler(BaseHTTPRequestHandler):
    s3: ClassVar[S3Server]
    protocol_version = "HTTP/1.1"
    # An idle connection of a client that has ended would keep its thread.
    timeout = 5

    def do_GET(self) -> None:
        if self._refuses():
            return
        if "list-type" in self._query:
            self._list()
            return
        stored = self.s3.objects.get(self._key)
        if stored is None:
            self._fail(404, "NoSuchKey")
        elif self.headers.get("If-Match", stored.etag) != stored.etag:
            self._fail(412, "PreconditionFailed")
        else:
            self._send(stored)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if self._refuses():
            return
        if "uploadId" in self._query:
            self.s3.uploads[self._query["uploadId"]][int(self._query["partNumber"])] = content
        else:
            self._store(content)
        self._answer(200, headers={"ETag": Stored(content, datetime.now(UTC)).etag})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self._refuses():
            return
        if "delete" in self._query:
            self._delete(body.decode())
        elif "uploads" in self._query:
            upload = str(len(self.s3.requests))
            self.s3.uploads[upload] = {}
            self._answer(200, f"<R><UploadId>{upload}</UploadId></R>")
        else:
            parts = self.s3.uploads.pop(self._query["uploadId"])
            self._store(b"".join(parts[number] for number in sorted(parts)))
            self._answer(200, '<R><ETag>"several"</ETag></R>')

    def do_DELETE(self) -> None:
        if self._refuses():
            return
        self.s3.uploads.pop(self._query.get("uploadId", ""), None)
        self._answer(204)

    @property
    def _query(self) -> dict[str, str]:
        found = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        return {name: values[0] for name, values in found.items()}

    @property
    def _key(self) -> str:
        return unquote(urlsplit(self.path).path).removeprefix(f"/{BUCKET}/")

    def _refuses(self) -> bool:
        self.s3.requests.append(f"{self.command} {self.path}")
        if self.s3.failing:
            self._fail(*self.s3.failing)
        elif urlsplit(self.path).path.split("/")[1] != BUCKET:
            self._fail(404, "NoSuchBucket")
        elif not self._is_signed():
            self._fail(403, "InvalidAccessKeyId")
        else:
            return False
        return True

    def _is_signed(self) -> bool:
        """Return whether the request or its link has been signed with the access key, without checking how."""
        by_link = self._query.get("X-Amz-Credential", "").startswith(f"{ACCESS_KEY}/")
        return by_link or f"Credential={ACCESS_KEY}/" in self.headers.get("Authorization", "")

    def _store(self, content: bytes) -> None:
        self.s3.objects[self._key] = Stored(content, datetime.now(UTC))

    def _delete(self, body: str) -> None:
        keys = re.findall("<Key>(.*?)</Key>", body)
        for key in keys:
            self.s3.objects.pop(key, None)
        deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        self._answer(200, f"<DeleteResult>{deleted}</DeleteResult>")

    def _list(self) -> None:
        """List two objects or prefixes at a time, so that listings have several pages."""
        after, prefix = self._query.get("continuation-token", ""), self._query.get("prefix", "")
        keys = sorted({self._listed_as(key, prefix) for key in self.s3.objects if key.startswith(prefix)})
        keys = [key for key in keys if key > after]
        entries = "".join(
            _prefix(key) if self._is_prefix(key, prefix) else _entry(key, self.s3.objects[key]) for key in keys[:2]
        )
        more = f"<NextContinuationToken>{escape(keys[1])}</NextContinuationToken>" if keys[2:] else ""
        self._answer(
            200, f"<R><IsTruncated>{str(bool(more)).lower()}</IsTruncated><KeyCount>2</KeyCount>{entries}{more}</R>"
        )

    def _listed_as(self, key: str, prefix: str) -> str:
        """Return a key, or what it has in common with others up to the next delimiter."""
        delimiter = self._query.get("delimiter")
        part, found, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
        return f"{prefix}{part}{found}" if found else key

    def _is_prefix(self, key: str, prefix: str) -> bool:
        return "delimiter" in self._query and key != prefix and key.endswith("/")

    def _send(self, stored: Stored) -> None:
        content, headers, status = stored.content, {"ETag": stored.etag}, 200
        headers["Last-Modified"] = format_datetime(stored.modified, usegmt=True)
        if found := _RANGE.fullmatch(self.headers.get("Range", "")):
            start, end = int(found[1]), min(int(found[2] or len(content)) + 1, len(content))
            if start >= len(content):
                self._fail(416, "InvalidRange")
                return
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(content)}"
            content, status = content[start:end], 206
        self._answer(status, content, headers=headers)

    def _fail(self, status: int, code: str) -> None:
        self._answer(status, f"<Error><Code>{code}</Code></Error>")

    def _answer(self, status: int, content: bytes | str = b"", *, headers: dict[str, str] | None = None) -> None:
        body = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            with suppress(ConnectionError):
                self._write(body)

    def _write(self, body: bytes) -> None:
        limits = [each for each in (self.s3.cut_at, self.s3.stall_at) if each is not None and each < len(body)]
        if limits and self.s3.spends_fault():
            self.wfile.write(body[: limits[0]])
            self.close_connection = True
            if self.s3.stall_at is not None:
                self.s3.stopping.wait(_PATIENCE)
        else:
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
        """Print nothing."""


def _prefix(key: str) -> str:
    return f"<CommonPrefixes><Prefix>{escape(key)}</Prefix></CommonPrefixes>"


def _entry(key: str, stored: Stored) -> str:
    modified = stored.modified.isoformat().replace("+00:00", "Z")
    parts = f"<Key>{escape(key)}</Key><LastModified>{modified}</LastModified><Size>{len(stored.content)}</Size>"
    return f"<Contents>{parts}<ETag>{escape(stored.etag)}</ETag></Contents>"
