"""Representative rows of every table, by the migration that made the table or its columns.

They are inserted between the real migrations, so the rows of 0001 have passed through all later ones.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from first_schema_rows import (
    AT,
    BASE,
    COMPANY,
    DELTA,
    DEVICE,
    FIRST,
    GAME,
    LATER,
    LIBRARY,
    LINK,
    RUN,
    SESSION_ID,
    TAG,
    TASK,
    USER,
    Rows,
    id_of,
)


def _row(columns: str, *values: Any) -> dict[str, Any]:
    return dict(zip(columns.split(), values, strict=True))


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
            "id": id_of(23),
            "game_id": GAME,
            "source": "Steam",
            "address": "",
            "credit": "",
            "renditions": [],
            "created": AT,
        },
    ),
    ("picture_uses", {"game_id": GAME, "role": "carousel", "position": 0, "picture_id": id_of(23)}),
    ("collections", {"id": id_of(24), "user_id": USER, "name": "Library", "is_default": True, "created": AT}),
    ("collection_entries", {"collection_id": id_of(24), "game_id": GAME, "added": AT}),
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
            "id": id_of(25),
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
            "id": id_of(26),
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
            "id": id_of(27),
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
        {"id": id_of(28), "day": date(2026, 1, 2), "user_id": USER, "version_id": BASE, "bytes": 5_000_000_000},
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
            "request_id": id_of(30),
        },
    ),
]
_SETTINGS: Rows = [
    ("stored_settings", {"name": "download_rate", "value": "5000000"}),
    ("disk_days", {"day": date(2026, 1, 2), "disk": "data", "free": 5_000_000_000}),
]
_DROP: Rows = [
    ("drop_contexts", {"id": id_of(31), "device_id": DEVICE, "version_id": BASE, "manifest_etag": "e", "used": AT}),
]
_FOUND = "id library_id path version fingerprint seen changed due decided task_id undone"
_FINGERPRINT = "3 5000000000 1767323045000000000 1767323045000000000"
_SCANS: Rows = [
    (
        "found_versions",
        _row(_FOUND, id_of(90), LIBRARY, "Portal", "1.0", _FINGERPRINT, AT, AT, None, AT, TASK, None),
    ),
]
_REQUESTS: Rows = [
    (
        "game_requests",
        {
            "id": id_of(91),
            "user_id": USER,
            "key": "Steam:620",
            "name": "Portal 2",
            "year": 2011,
            "source_id": "Steam",
            "metadata_id": "620",
            "icon": "",
            "status": "accepted",
            "comment": "Soon.",
            "library_id": LIBRARY,
            "path": "Portal 2",
            "game_id": None,
            "created": AT,
            "answered": AT,
        },
    ),
    ("game_request_votes", {"request_id": id_of(91), "user_id": USER, "created": AT}),
]
_DELIVERIES: Rows = [
    (
        "delivery_preferences",
        {
            "user_id": USER,
            "preferences": {
                "channels": {"email": ["game.added"]},
                "quietFrom": "22:00",
                "quietUntil": "07:00",
                "digestAt": "",
                "timeZone": "Europe/Berlin",
                "language": "de",
            },
            "verified_email": "ada@example.org",
            "verification_sent": AT,
        },
    ),
    (
        "deliveries",
        {
            "id": 1,
            "notification_id": 1,
            "user_id": USER,
            "channel": "email",
            "created": AT,
            "due": AT,
            "message": id_of(92),
            "attempts": 1,
        },
    ),
]
_UPLOAD_PLACE = {"library_id": LIBRARY, "user_id": USER, "game": "Portal", "version": "2.0", "placed": None}
_UPLOAD_STATE = {"digest": "d", "files": 3, "size": 5_000_000_000, "received": 1, "created": AT, "expires": AT}
_ARTICLE = "id title description content image_id author_id game_id version_id published changed"
_WRITTEN = (id_of(92), "Game night", "On Friday.", "We play **Portal**.", None, USER, GAME, None, AT, AT)
_NEWS: Rows = [
    ("news_articles", dict(zip(_ARTICLE.split(), _WRITTEN, strict=True))),
    ("news_feeds", {"user_id": USER, "digest": "feed", "created": AT}),
]
_HOOK = "id url secret event_types enabled created"
_SENT = "id webhook_id event_type occurred data created attempts due delivered status error error_code error_parameters"
_RESULT: tuple[Any, ...] = (id_of(95), id_of(94), "game.added", AT, {}, AT, 1, None, AT, 204, None, None, {})
_WEBHOOKS: Rows = [
    ("webhooks", dict(zip(_HOOK.split(), (id_of(94), "https://hooks.example.org/", "s", [], True, AT), strict=True))),
    ("webhook_deliveries", dict(zip(_SENT.split(), _RESULT, strict=True))),
]
_CHANGE = {"paths": [{"source": "Portal", "target": "Portal 2"}], "targetLibrary": LIBRARY, "version": None, "item": ""}
_TRASHED = {"table": "versions", "rows": [{"id": id_of(97), "name": "0.9", "created": "2026-11-01T10:00:00+00:00"}]}
_LIBRARY_FILES: Rows = [
    (
        "file_changes",
        {
            "id": id_of(96),
            "kind": "move-game",
            "library_id": LIBRARY,
            "game_id": GAME,
            "change": _CHANGE,
            "switched": False,
            "created": AT,
            "task_id": TASK,
        },
    ),
    (
        "trash_items",
        {
            "id": id_of(98),
            "library_id": LIBRARY,
            "game_id": GAME,
            "version_id": id_of(97),
            "game_name": "Portal",
            "version_name": "0.9",
            "paths": ["Portal/0.9"],
            "size": 5_000_000_000,
            "record_names": [id_of(97)],
            "removal": {"removed": [_TRASHED], "cleared": []},
            "deleted": AT,
        },
    ),
]
_BROWSER = _row(
    "session_id user_id endpoint public_key auth_secret created delivered", SESSION_ID, USER, "e", "p", "a", AT, None
)
_RUN = _row(
    "user_id id game_id version_id device_id started seconds source", USER, "s1", GAME, BASE, DEVICE, AT, 5400, None
)
_NOTE = _row("user_id game_id status note changed source", USER, GAME, "playing", "Save before the lab.", AT, None)

ROWS: Mapping[str, Rows] = {
    "0001": FIRST,
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
    "0026": _DELIVERIES,
    "0027": [("uploads", {"id": id_of(93), **_UPLOAD_PLACE, **_UPLOAD_STATE, "task_id": None})],
    "0028": _NEWS,
    "0029": _WEBHOOKS,
    "0030": [("events", {"event_type": "disk.low", "nonce": "e", "data": {}, "created": AT, "position": 1})],
    "0031": _LIBRARY_FILES,
    "0032": [("push_subscriptions", _BROWSER)],
    "0033": [],
    "0034": [("play_sessions", _RUN), ("play_records", _NOTE)],
}
