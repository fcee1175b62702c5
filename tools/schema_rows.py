"""Representative rows of every table, by the migration that made the table or its columns.

They are inserted between the real migrations, so the rows of 0001 have passed through all later ones.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER = datetime(2099, 1, 2, 3, 4, 5, tzinfo=UTC)
PASSWORD = "correct horse battery"
# The hash of `PASSWORD`, with the fast parameters of the tests, and the digest of `SESSION`.
_HASH = "$argon2id$v=19$m=8,t=1,p=1$UDzu1GNWdXvgmbWCHQWAYg$F6N2HgEeJGutdcKgdxuUfxnypr64k4WrQadJRt9v8io"
SESSION = "pds_an-old-session"
_SESSION_DIGEST = "b43f195fb2477ef49eedaa13115b24b85bcdd08561e2fce1a70fc2aa010089c0"


def _id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


LIBRARY, USER, GAME, BASE, DELTA, PICTURE, RUN, TASK, SESSION_ID, TOKEN, DEVICE, LINK, COMPANY, TAG = map(
    _id, range(1, 15)
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


_FIRST: Rows = [
    ("failures", {"key": "user ada", "at": AT}),
    (
        "invitations",
        {"id": _id(20), "is_admin": False, "username": None, "email": None, "expires": LATER, "created": AT},
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
    ("mechanisms", {"id": _id(21), "user_id": USER, "kind": "Simple", "subject": None, "secret": _HASH}),
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
    ("tasks", _task(_id(22), "import Portal", started=AT, ended=AT, error_title="Failed", error_detail="It's broken.")),
    ("task_lines", {"task_id": TASK, "at": AT, "level": "info", "message": 'It\'s 50%; "done" \u2713'}),
]
_METADATA: Rows = [
    (
        "companies",
        {"id": COMPANY, "name": "Valve", "folded": "valve", "description": "d", "website": "", "created": AT},
    ),
    ("tags", {"id": TAG, "kind": "genre", "name": "Puzzle", "folded": "puzzle", "created": AT}),
    ("game_companies", {"game_id": GAME, "role": "developer", "company_id": COMPANY, "position": 0}),
    ("game_tags", {"game_id": GAME, "tag_id": TAG, "position": 0}),
    (
        "pictures",
        {
            "id": _id(23),
            "game_id": GAME,
            "source": "Steam",
            "address": "",
            "credit": "",
            "renditions": [],
            "created": AT,
        },
    ),
    ("picture_uses", {"game_id": GAME, "role": "carousel", "position": 0, "picture_id": _id(23)}),
    ("collections", {"id": _id(24), "user_id": USER, "name": "Library", "is_default": True, "created": AT}),
    ("collection_entries", {"collection_id": _id(24), "game_id": GAME, "added": AT}),
    ("import_runs", {"id": RUN, "task_id": TASK, "created": AT, "taken_back": None}),
    (
        "import_run_rows",
        {
            "run_id": RUN,
            "position": 0,
            "library_id": LIBRARY,
            "path": "Portal",
            "choice": {},
            "done": AT,
            "game_id": GAME,
        },
    ),
    (
        "plan_rows",
        {
            "id": _id(25),
            "library_id": LIBRARY,
            "path": "Half-Life",
            "title": "Half-Life",
            "certain": False,
            "confidence": 0.5,
            "clues": [],
            "candidates": [],
            "versions": [],
            "remark": "",
            "computed": AT,
        },
    ),
    ("provider_answers", {"digest": "d", "source_id": "Steam", "body": b"{}", "expires": AT}),
    ("provider_states", {"source_id": "Steam", "calls": [1.5], "resting_until": None, "token": None}),
]
_OPENID: Rows = [
    ("openid_tests", {"digest": "d", "opened": False, "expires": AT}),
    (
        "openid_flows",
        {
            "state": "s",
            "browser": "b",
            "nonce": "n",
            "verifier": "v",
            "redirect": "/",
            "session_id": SESSION_ID,
            "test": "d",
            "expires": AT,
        },
    ),
    ("openid_sessions", {"session_id": SESSION_ID, "id_token": "t"}),
]
_DOWNLOADS: Rows = [
    (
        "device_requests",
        {
            "id": _id(26),
            "digest": "d",
            "user_code": "BCDF-GHJK",
            "name": "laptop",
            "platform": "Linux",
            "created": AT,
            "expires": AT,
            "pause": 5,
            "user_id": USER,
            "denied": False,
        },
    ),
    (
        "devices",
        {
            "id": DEVICE,
            "user_id": USER,
            "digest": "d",
            "name": "laptop",
            "platform": "Linux",
            "created": AT,
            "seen": AT,
        },
    ),
    ("damages", {"version_id": BASE, "path": "bin/portal", "fault": "missing", "found": AT}),
    (
        "download_links",
        {
            "id": LINK,
            "user_id": USER,
            "version_id": BASE,
            "digest": "d",
            "target": "content",
            "created": AT,
            "expires": LATER,
            "bytes_left": 5_000_000_000,
        },
    ),
    (
        "patch_sets",
        {
            "id": _id(27),
            "version_id": DELTA,
            "from_id": BASE,
            "version_etag": "1.1",
            "from_etag": "1.0",
            "size": 1,
            "created": AT,
            "used": AT,
        },
    ),
]
_STATISTICS: Rows = [
    (
        "transfer_days",
        {"id": _id(28), "day": date(2026, 1, 2), "user_id": USER, "version_id": BASE, "bytes": 5_000_000_000},
    ),
]

_PROFILE: Rows = [
    ("server_profile", {"id": "server", "name": "The arcade", "greeting": "Welcome", "logo_id": None}),
]
_INSTALLATIONS: Rows = [
    ("device_installations", {"device_id": DEVICE, "game_id": GAME, "version_id": BASE}),
    ("queued_installations", {"device_id": DEVICE, "game_id": GAME, "queued": AT}),
]
_NODES: Rows = [
    (
        "nodes",
        {
            "id": "alpha:0123456789ab:17:abcdefgh",
            "name": "alpha",
            "release": "0.1.0",
            "started": AT,
            "heartbeat": AT,
            "demand": {"shares": {}},
        },
    ),
]
_NOTIFICATIONS: Rows = [
    (
        "events",
        {
            "event_type": "version.added",
            "nonce": "version.added:1",
            "data": {"game": GAME, "gameName": "Portal", "version": BASE, "versionName": "1.0", "platform": "Linux"},
            "created": AT,
            "batch": "b",
            "announced": AT,
        },
    ),
    (
        "notifications",
        {
            "user_id": USER,
            "nonce": "b:version.added",
            "event_type": "version.added",
            "title": "Portal 1.0 is available",
            "title_code": "version-available",
            "title_parameters": {"game": "Portal", "version": "1.0"},
            "description": "",
            "description_code": None,
            "description_parameters": {},
            "link": f"/games/{GAME}",
            "created": AT,
            "read": False,
        },
    ),
    (
        "notification_preferences",
        {"user_id": USER, "preferences": {"platforms": ["Linux"], "tags": [TAG], "muted": ["game.added"]}},
    ),
]
_AUDIT: Rows = [
    (
        "audit_entries",
        {
            "id": 1,
            "at": AT,
            "user_id": USER,
            "username": "ada",
            "credential": "session",
            "address": "192.0.2.7",
            "operation": "change_user",
            "permissions": ["system:user:update"],
            "subject_id": USER,
            "subject": "ada",
            "details": {"enabled": True},
            "request_id": _id(30),
        },
    ),
]
_SETTINGS: Rows = [
    ("stored_settings", {"name": "download_rate", "value": "5000000"}),
    ("disk_days", {"day": date(2026, 1, 2), "disk": "data", "free": 5_000_000_000}),
]
_DROP: Rows = [
    ("drop_contexts", {"id": _id(31), "device_id": DEVICE, "version_id": BASE, "manifest_etag": "e", "used": AT}),
]
_SCANS: Rows = [
    (
        "found_versions",
        {
            "id": _id(90),
            "library_id": LIBRARY,
            "path": "Portal",
            "version": "1.0",
            "fingerprint": "3 5000000000 1767323045000000000 1767323045000000000",
            "seen": AT,
            "changed": AT,
            "due": None,
            "decided": AT,
            "task_id": TASK,
            "undone": None,
        },
    ),
]
_REQUEST = "id user_id key name year source_id metadata_id icon status comment library_id path game_id created answered"
_REQUESTED = (
    _id(91),
    USER,
    "Steam:620",
    "Portal 2",
    2011,
    "Steam",
    "620",
    "",
    "accepted",
    "Soon.",
    LIBRARY,
    "Portal 2",
)
_REQUESTS: Rows = [
    ("game_requests", dict(zip(_REQUEST.split(), (*_REQUESTED, None, AT, AT), strict=True))),
    ("game_request_votes", {"request_id": _id(91), "user_id": USER, "created": AT}),
]
_ARTICLE = "id title description content image_id author_id game_id version_id published changed"
_WRITTEN = (_id(92), "Game night", "On Friday.", "We play **Portal**.", None, USER, GAME, None, AT, AT)
_NEWS: Rows = [
    ("news_articles", dict(zip(_ARTICLE.split(), _WRITTEN, strict=True))),
    ("news_feeds", {"user_id": USER, "digest": "feed", "created": AT}),
]

ROWS: Mapping[str, Rows] = {
    "0001": _FIRST,
    "0002": _METADATA,
    "0003": _OPENID,
    "0005": _DOWNLOADS,
    "0006": _STATISTICS,
    "0016": _PROFILE,
    "0017": _INSTALLATIONS,
    "0018": _NODES,
    "0019": _AUDIT,
    "0020": _SETTINGS,
    "0021": _DROP,
    "0022": _NOTIFICATIONS,
    "0023": _SCANS,
    "0024": _REQUESTS,
    "0025": [("moved_rows", {"server": "drop", "kind": "game", "source_key": "7", "target": GAME, "created": AT})],
    "0026": _NEWS,
}
