"""The rows of the first tables, and what all rows have in common; see `schema_rows`."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER = datetime(2099, 1, 2, 3, 4, 5, tzinfo=UTC)
PASSWORD = "correct horse battery"
# The hash of `PASSWORD`, with the fast parameters of the tests, and the digest of `SESSION`.
_HASH = "$argon2id$v=19$m=8,t=1,p=1$UDzu1GNWdXvgmbWCHQWAYg$F6N2HgEeJGutdcKgdxuUfxnypr64k4WrQadJRt9v8io"
SESSION = "pds_an-old-session"
_SESSION_DIGEST = "b43f195fb2477ef49eedaa13115b24b85bcdd08561e2fce1a70fc2aa010089c0"


def id_of(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


LIBRARY, USER, GAME, BASE, DELTA, PICTURE, RUN, TASK, SESSION_ID, TOKEN, DEVICE, LINK, COMPANY, TAG = map(
    id_of, range(1, 15)
)

Rows = Sequence[tuple[str, Mapping[str, Any]]]


def _version(id_: str, position: int, name: str, base: str | None) -> Mapping[str, Any]:
    paths = {"launch": "bin/portal", "launch_args": "-novid", "setup": "", "setup_args": "", "compat_id": None}
    sizes = {"size": 5_000_000_000, "installed_size": 6_000_000_000, "manifest_etag": name}
    order = {"game_id": GAME, "position": position, "name": name, "platform": "Linux"}
    layers = {"delta": base is not None, "base_id": base, "only_setup": False}
    return {"id": id_, **order, **layers, **paths, **sizes, "created": AT}


def _task(id_: str, subject: str, **ended: Any) -> Mapping[str, Any]:
    kind = {"task_group": "import:game", "lane": "light", "name": "Import Portal", "subject": subject}
    counts = {"claims": 1, "crashes": 0, "retries": 0, "cancelled": False, "progress": 50.0, "success": False}
    return {
        "id": id_,
        **kind,
        **counts,
        "arguments": {"path": "Portal"},
        "acls": [],
        "created": AT,
        "due": LATER,
        **ended,
    }


FIRST: Rows = [
    ("failures", {"key": "user ada", "at": AT}),
    (
        "invitations",
        {"id": id_of(20), "is_admin": False, "username": None, "email": None, "expires": LATER, "created": AT},
    ),
    (
        "libraries",
        {"id": LIBRARY, "name": "Games", "backend": "Filesystem", "options": {"baseDir": "/games"}, "created": AT},
    ),
    (
        "objects",
        {"id": PICTURE, "media_type": "image/webp", "size": 10, "etag": "e", "reader": "user:read", "created": AT},
    ),
    (
        "users",
        {
            "id": USER,
            "username": "Ada",
            "folded": "ada",
            "display_name": "Ada Lovelace",
            "email": "ada@example.org",
            "picture_id": PICTURE,
            "admin": True,
            "enabled": True,
            "created": AT,
        },
    ),
    ("mechanisms", {"id": id_of(21), "user_id": USER, "kind": "Simple", "subject": None, "secret": _HASH}),
    ("password_resets", {"digest": "reset", "user_id": USER, "expires": AT}),
    (
        "sessions",
        {
            "id": SESSION_ID,
            "user_id": USER,
            "digest": _SESSION_DIGEST,
            "agent": "a browser",
            "created": AT,
            # Sessions that are not used for some time end.
            "seen": LATER,
            "expires": LATER,
        },
    ),
    (
        "tokens",
        {
            "id": TOKEN,
            "user_id": USER,
            "digest": "token",
            "name": "n",
            "acls": ["store:read"],
            "created": AT,
            "expires": None,
        },
    ),
    (
        "games",
        {
            "id": GAME,
            "library_id": LIBRARY,
            "path": "Portal",
            "name": "Portal\u2122",
            "metadata_source": "Steam",
            "metadata_id": "400",
            "created": AT,
        },
    ),
    ("versions", _version(BASE, 1, "1.0", None)),
    ("versions", _version(DELTA, 2, "1.1", BASE)),
    ("import_checkpoints", {"game_id": GAME, "version_name": "1.2", "at": AT, "records": b"\x00\xffrecords"}),
    ("tasks", _task(TASK, "import Portal 2")),
    (
        "tasks",
        _task(id_of(22), "import Portal", started=AT, ended=AT, error_title="Failed", error_detail="It's broken."),
    ),
    ("task_lines", {"task_id": TASK, "at": AT, "level": "info", "message": 'It\'s 50%; "done" \u2713'}),
]
