"""Examples of devices, and of signed links to bytes of games."""

from typing import Any

_ID = "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"
_OTHER_ID = "9c0b5d7e-27a1-4a9b-8d2e-51f4c7e3aa10"
_NOW = "2026-11-20T05:38:00.000Z"
_SOON = "2026-11-20T05:53:00.000Z"
_LATER = "2026-11-21T05:38:00.000Z"
_LINK = {"id": _ID, "expires": _LATER}
_WAITING = {"name": "Ada's laptop", "platform": "Linux", "created": _NOW}
_SERVER_LIMITS = {"downloadRate": None, "downloadsAtOnce": 1000, "running": 41}

DOWNLOADS: dict[str, Any] = {
    "AccessToken": {
        "access_token": "pdc_Xy0L5rJzqf3M9cUeV7aTgK2sWnBd8hQpY1iOoE4jRbs",
        "token_type": "Bearer",
        "scope": "user:content:read user:read user:store:read",
    },
    "DeviceAnswer": {**_WAITING, "id": _ID, "seen": _NOW, "current": True},
    "DeviceAuthorization": {
        "device_code": "pdd_8hQpY1iOoE4jRbsXy0L5rJzqf3M9cUeV7aTgK2sWnBd",
        "user_code": "WDJB-MJHT",
        "verification_uri": "https://games.example.org/device",
        "verification_uri_complete": "https://games.example.org/device?user_code=WDJB-MJHT",
        "expires_in": 900,
        "interval": 5,
    },
    "DeviceDecision": {"userCode": "WDJB-MJHT", "approve": True},
    "DeviceRequestAnswer": {**_WAITING, "expires": _SOON},
    "DownloadLinkAnswer": {
        **_LINK,
        "versionId": _OTHER_ID,
        "game": {"id": _ID, "name": "SuperTuxKart"},
        "version": {"id": _OTHER_ID, "name": "1.4"},
        "target": f"/api/v1/versions/{_OTHER_ID}/archive.zip",
        "created": _NOW,
        "bytesLeft": 1_486_013_860,
    },
    "DownloadLinkDraft": {"kind": "archive", "downloads": 2},
    "LimitsAnswer": {"downloadRate": 5_000_000, "downloadsAtOnce": 32, "running": 3, "server": _SERVER_LIMITS},
    "NewDownloadLink": {
        **_LINK,
        "url": f"https://games.example.org/api/v1/versions/{_OTHER_ID}/archive.zip"
        "?link=pdl_cUeV7aTgK2sWnBd8hQpY1iOoE4jRbsXy0L5rJzqf3M9",
        "downloads": 2,
    },
    "OAuthErrorAnswer": {
        "error": "authorization_pending",
        "error_description": "Nobody has allowed this device yet. Ask again after the interval.",
    },
    "ServerLimitsAnswer": _SERVER_LIMITS,
    "UserLimitsAnswer": {"downloadRate": 2_000_000, "downloadsAtOnce": None},
}
