"""Examples of what keeps the service in order: damage, games that were moved, and its numbers."""

from typing import Any

_ID = "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"
_OTHER_ID = "9c0b5d7e-27a1-4a9b-8d2e-51f4c7e3aa10"
_GAME = {"id": _ID, "name": "SuperTuxKart"}
_VERSION = {"id": _OTHER_ID, "name": "1.4"}
_FILE = {"path": "data/tracks/abyss.b3d", "fault": "rot", "found": "2026-11-20T05:38:00.000Z"}
_LOST = {**_GAME, "library": _OTHER_ID, "path": "SuperTuxKart"}
_CANDIDATE = {"library": _OTHER_ID, "path": "SuperTuxKart (2007)", "share": 1.0}
_STORED_GAME = {**_GAME, "size": 743_006_930, "versions": 1, "colour": "#3d6a9e"}
_STORAGE = {"id": _OTHER_ID, "name": "Games", "backend": "Filesystem", "working": True}
_STORED = {"library": _STORAGE, "size": 743_006_930, "free": 512_110_190_592, "games": [_STORED_GAME]}
_DAY = {"day": "2026-11-20", "bytes": 1_486_013_860, "downloads": 2}
_CHECK = {"name": "Library Games", "state": "good", "detail": "Its folder can be read."}

MAINTENANCE: dict[str, Any] = {
    "CheckAnswer": _CHECK,
    "DayAnswer": _DAY,
    "FolderCandidate": _CANDIDATE,
    "DamagedFile": _FILE,
    "DamagedVersion": {"game": _GAME, "version": _VERSION, "files": [_FILE]},
    "GameStorage": _STORED_GAME,
    "HealthAnswer": {"checks": [_CHECK]},
    "LibraryStorage": _STORED,
    "LostGame": _LOST,
    "MoveAnswer": {"taskIds": []},
    "MoveDraft": {"library": _OTHER_ID, "path": "SuperTuxKart (2007)"},
    "MovedGame": {"game": _LOST, "candidates": [_CANDIDATE]},
    "NamedAnswer": _GAME,
    "StatisticsAnswer": {"storage": [_STORED], "days": [_DAY], "health": {"checks": [_CHECK]}},
    "StorageLibrary": _STORAGE,
}
