"""Examples of patches."""

from typing import Any

_ID = "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"
_OLD_ID = "9c0b5d7e-27a1-4a9b-8d2e-51f4c7e3aa10"
_NEW_ID = "5d2c7b1e-90f4-4d0a-8a51-c3e6f7b80912"
_OLD_ETAG = "6caa1e87302642466f698a7962066904a3499b453bfd623354546ec1c41b8ed4"
_NEW_ETAG = "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"
_SEGMENT = {
    "offset": 0,
    "length": 41_207,
    "plain": 455_024,
    "old": [["usr/games/supertuxkart", 0, 448_112]],
    "new": [["usr/games/supertuxkart", 0, 455_024]],
}

PATCHES: dict[str, Any] = {
    "PatchesAnswer": {
        "id": _ID,
        "from": _OLD_ID,
        "to": _NEW_ID,
        "fromEtag": _OLD_ETAG,
        "toEtag": _NEW_ETAG,
        "size": 41_207,
        "segments": [_SEGMENT],
    },
    "SegmentAnswer": _SEGMENT,
}
