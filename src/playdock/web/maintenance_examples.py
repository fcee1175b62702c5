"""Examples of what keeps the library in order: damage, and games that were moved."""

from typing import Any

_ID = "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"
_OTHER_ID = "9c0b5d7e-27a1-4a9b-8d2e-51f4c7e3aa10"
_GAME = {"id": _ID, "name": "SuperTuxKart"}
_VERSION = {"id": _OTHER_ID, "name": "1.4"}
_FILE = {"path": "data/tracks/abyss.b3d", "fault": "rot", "found": "2026-11-20T05:38:00.000Z"}
_LOST = {**_GAME, "library": _OTHER_ID, "path": "SuperTuxKart"}
_CANDIDATE = {"library": _OTHER_ID, "path": "SuperTuxKart (2007)", "share": 1.0}

MAINTENANCE: dict[str, Any] = {
    "FolderCandidate": _CANDIDATE,
    "DamagedFile": _FILE,
    "DamagedVersion": {"game": _GAME, "version": _VERSION, "files": [_FILE]},
    "LostGame": _LOST,
    "MoveAnswer": {"taskIds": []},
    "MoveDraft": {"library": _OTHER_ID, "path": "SuperTuxKart (2007)"},
    "MovedGame": {"game": _LOST, "candidates": [_CANDIDATE]},
    "NamedAnswer": _GAME,
}
