"""Examples of collections."""

from typing import Any

from playdock.web.store_examples import STORE

_ID = "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"
_OTHER_ID = "9c0b5d7e-27a1-4a9b-8d2e-51f4c7e3aa10"
_NOW = "2026-11-20T05:38:00.000Z"

_ENTRY: dict[str, Any] = {"collectionId": _ID, "gameId": _OTHER_ID, "added": _NOW, "game": STORE["GameCard"]}

COLLECTIONS: dict[str, Any] = {
    "CollectionAnswer": {
        "id": _ID,
        "name": "For rainy days",
        "isDefault": False,
        "userId": _OTHER_ID,
        "created": _NOW,
        "entries": [_ENTRY],
    },
    "CollectionDraft": {"name": "For rainy days"},
    "EntryAnswer": _ENTRY,
    "EntryDraft": {"id": _OTHER_ID},
}
