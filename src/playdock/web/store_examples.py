"""Examples of what the store answers."""

from typing import Any

_GAME = "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"
_PICTURE = "9c0b5d7e-27a1-4a9b-8d2e-51f4c7e3aa10"
_TAG = {"id": "5b0a7c1e-6f0d-4c55-8f6b-0d9f1f6f2c31", "kind": "genre", "name": "Racing"}
_COMPANY = {"id": "e2d9a7b4-3c58-4f0e-9a61-7b8c5d4e3f20", "name": "SuperTuxKart Team"}
_RELEASED = {"date": "2006-09-01", "precision": "month"}
_COVER = {
    "id": _PICTURE,
    "source": "Steam",
    "credit": "",
    "renditions": [
        {"size": "grid", "mediaType": "image/webp", "width": 300, "height": 450, "objectId": _PICTURE},
    ],
    "placeholder": "HqQ+9ygI9wiIh4hwj3CI+AiIcH/4CIgA",
    "colour": "#7928ca",
}
_CARD: dict[str, Any] = {
    "id": _GAME,
    "name": "SuperTuxKart",
    "shortDescription": "Karts. Nitro. Action!",
    "released": _RELEASED,
    "platforms": ["Linux", "Windows"],
    "tags": [_TAG],
    "rating": 0.87,
    "cover": _COVER,
    "icon": None,
    "banner": None,
    "added": "2026-11-20T05:38:00.000Z",
    "updated": "2026-11-20T06:02:11.000Z",
}
_VERSION = {
    "id": "0d6f5b8a-1c2e-4a3b-9d4f-8e7a6b5c4d30",
    "name": "1.4",
    "platform": "Linux",
    "delta": False,
    "baseId": None,
    "size": 743_006_930,
    "installedSize": 743_006_930,
    "created": "2026-11-20T06:02:11.000Z",
    "onlySetup": False,
    "launch": "usr/games/supertuxkart",
    "launchArgs": "",
    "setup": "",
    "setupArgs": "",
    "compatId": None,
    "damaged": None,
}

STORE: dict[str, Any] = {
    "CompanyInUse": {**_COMPANY, "games": 3},
    "GameCard": _CARD,
    "GamePage": {
        **_CARD,
        "description": "Race **Tux** and his friends through *exotic* places.",
        "featured": True,
        "developers": [_COMPANY],
        "publishers": [],
        "ratings": [{"source": "IGDB", "score": 0.87, "count": 112, "url": ""}],
        "ageRatings": [{"board": "PEGI", "value": "3", "descriptors": []}],
        "websites": [{"kind": "official", "url": "https://supertuxkart.example.org"}],
        "externalIds": {"IGDB": "1850"},
        "logo": None,
        "carousel": [],
        "versions": [_VERSION],
        "sources": {"name": "IGDB", "description": "Manual"},
    },
    "StorePage": {"games": [_CARD], "total": 312, "next": "WyJuYW1lIiwiYXNjIiwic3VwZXIiLCIzZjFmIl0"},
    "TagInUse": {**_TAG, "games": 41},
}
