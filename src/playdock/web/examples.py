"""One example for each thing that goes over the wire; a test holds each to its schema."""

from typing import Any

from playdock.web.collection_examples import COLLECTIONS
from playdock.web.download_examples import DOWNLOADS
from playdock.web.game_examples import GAME, GAMES
from playdock.web.maintenance_examples import MAINTENANCE
from playdock.web.patch_examples import PATCHES
from playdock.web.plan_examples import PLANS
from playdock.web.store_examples import STORE

_ID = "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"
_OTHER_ID = "9c0b5d7e-27a1-4a9b-8d2e-51f4c7e3aa10"
_LATER = "2027-01-31T12:00:00.000Z"
_NOW = "2026-11-20T05:38:00.000Z"
_HASH = "6caa1e87302642466f698a7962066904a3499b453bfd623354546ec1c41b8ed4"

_USER = {
    "id": _ID,
    "username": "ada",
    "displayName": "Ada Lovelace",
    "email": "ada@example.org",
    "profilePictureObjectId": _OTHER_ID,
    "admin": False,
    "enabled": True,
}
_OPENID = {
    "authorizationUrl": "https://id.example.org/authorize",
    "scopes": "openid,profile,email",
    "adminGroup": "admins",
    "usernameClaim": "preferred_username",
    "externalUrl": "https://games.example.org",
}
_INVITATION = {"id": _ID, "isAdmin": False, "username": None, "email": "ada@example.org", "expires": _LATER}
_LIBRARY = {
    "id": _ID,
    "name": "Games",
    "backend": "Filesystem",
    "options": {"baseDir": "/srv/games"},
    "working": True,
}
_TOKEN = {"id": _ID, "name": "backup script", "acls": ["user:read"], "expires": None, "created": _NOW}
_LOG_LINE = {"level": "info", "timestamp": _NOW, "message": "Read 5,269 files, 743,006,930 bytes."}
_TASK = {
    "id": _ID,
    "taskGroup": "import:version",
    "name": "Import SuperTuxKart 1.4",
    "success": False,
    "cancelled": False,
    "progress": 42.5,
    "error": None,
    "log": ['{"level":"info","timestamp":"2026-11-20T05:38:00.000Z","message":"Going on: 12 files were read before."}'],
    "started": _NOW,
    "ended": None,
}
_IMAGE = {"version": _ID, "size": 743_006_930}
_FILE = {
    "path": "usr/games/supertuxkart",
    "size": 455_024,
    "mode": 0o755,
    "image": 0,
    "offset": 0,
    "hash": _HASH,
    "crc32": 1_756_805_528,
    "chunks": [[455_024, _HASH]],
}
_LINK = {"path": "usr/share/games/supertuxkart/data", "target": "../data"}
_STATUS = {"noVersions": False, "unimportedVersions": ["1.5"]}
_FAULT = {"field": "password", "detail": "A password has at least 14 characters and at most 1,024 bytes."}

EXAMPLES: dict[str, Any] = {
    **GAMES,
    **COLLECTIONS,
    **DOWNLOADS,
    **MAINTENANCE,
    **PATCHES,
    **PLANS,
    **STORE,
    "AdminChanges": {"enabled": False},
    "FaultAnswer": _FAULT,
    "FileAnswer": _FILE,
    "FolderOptions": {"baseDir": "/srv/games"},
    "GameImportDraft": {"library": _ID, "path": "SuperTuxKart"},
    "GameStatus": _STATUS,
    "GroupDraft": {"taskGroup": "cleanup:sessions"},
    "GuessAnswer": {"filename": "usr/games/supertuxkart", "platform": "Linux", "match": 1.0},
    "ImageAnswer": _IMAGE,
    "InvitationAnswer": _INVITATION,
    "InvitationDraft": {"expires": _LATER, "email": "ada@example.org"},
    "InvitationId": {"id": _ID},
    "LibraryAnswer": _LIBRARY,
    "LibraryChanges": {"id": _ID, "name": "More games"},
    "LibraryDraft": {"name": "Games", "backend": "Filesystem", "options": {"baseDir": "/srv/games"}},
    "LibraryGame": {"game": GAME, "status": _STATUS},
    "LibraryId": {"id": _ID},
    "LibraryOverview": {
        "unimportedGames": {_ID: ["OpenTTD"]},
        "games": [{"game": GAME, "status": _STATUS}],
        "hasLibraries": True,
    },
    "LinkAnswer": _LINK,
    "ListedInvitation": {**_INVITATION, "inviteUrl": f"http://localhost:3000/auth/register?id={_ID}"},
    "LogLine": _LOG_LINE,
    "ManifestAnswer": {
        "format": 1,
        "game": _ID,
        "version": _OTHER_ID,
        "size": 455_024,
        "images": [_IMAGE],
        "files": [_FILE],
        "links": [_LINK],
        "removed": [],
    },
    "MechanismAnswer": {"kind": "OpenID", "issuer": "https://id.example.org"},
    "MechanismsAnswer": {"Simple": True, "OpenID": _OPENID},
    "MetadataChoice": {"id": "supertuxkart", "sourceId": "Manual", "name": "SuperTuxKart"},
    "MetadataResult": {
        "id": "supertuxkart",
        "name": "SuperTuxKart",
        "icon": "",
        "description": "Karts. Nitro. Action!",
        "year": 2006,
        "sourceId": "PCGamingWiki",
        "sourceName": "PCGamingWiki",
        "fuzzy": 0.93,
    },
    "NewTokenAnswer": {**_TOKEN, "token": "pdt_Xy0L5rJzqf3M9cUeV7aTgK2sWnBd8hQpY1iOoE4jRbs"},
    "OpenIdAnswer": _OPENID,
    "OptionsAnswer": {"baseDir": "/srv/games"},
    "OwnChanges": {"displayName": "Ada"},
    "PasswordChange": {"current": "correct horse battery", "new": "staple correct horse"},
    "Problem": {
        "type": "invalid-input",
        "title": "Invalid input",
        "status": 400,
        "detail": "The request cannot be accepted. password: A password has at least 14 characters.",
        "requestId": _ID,
        "statusCode": 400,
        "statusMessage": "Invalid input",
        "message": "The request cannot be accepted. password: A password has at least 14 characters.",
        "errors": [_FAULT],
    },
    "ResetAnswer": {"resetUrl": "http://localhost:3000/auth/reset?id=pdr_8hQpY1iOoE4jRbsXy0L5rJzqf3M9cUeV7aTgK2sWnBd"},
    "ResetDraft": {"id": "pdr_8hQpY1iOoE4jRbsXy0L5rJzqf3M9cUeV7aTgK2sWnBd", "password": "staple correct horse"},
    "SessionAnswer": {
        "id": _ID,
        "agent": "curl/7.88.1",
        "created": _NOW,
        "seen": _NOW,
        "expires": _LATER,
        "current": True,
    },
    "SignInAnswer": {
        "result": True,
        "userId": _ID,
        "accessToken": "pds_Xy0L5rJzqf3M9cUeV7aTgK2sWnBd8hQpY1iOoE4jRbs",
        "expires": _LATER,
    },
    "SignInDraft": {"username": "ada", "password": "correct horse battery"},
    "SignUpDraft": {
        "invitation": _ID,
        "password": "correct horse battery",
        "username": "ada",
        "email": "ada@example.org",
        "displayName": "Ada Lovelace",
    },
    "TaskAnswer": _TASK,
    "TaskError": {"title": "Version unusable", "description": "saves\\slot1 has a backslash in its name. Rename it."},
    "TaskId": {"id": _ID},
    "TaskLists": {
        "runningTasks": [{**_TASK, "log": []}],
        "historicalTasks": [],
        "dailyTasks": ["cleanup:sessions"],
        "weeklyTasks": ["verify:content"],
    },
    "TaskStarted": {"taskId": _ID},
    "TokenAnswer": _TOKEN,
    "TokenDraft": {"name": "backup script", "acls": ["user:read"]},
    "UnimportedGame": {"game": "OpenTTD", "library": _LIBRARY},
    "UnimportedGames": {"unimportedGames": [{"game": "OpenTTD", "library": _LIBRARY}]},
    "UserAnswer": _USER,
    "VersionImportDraft": {
        "id": _ID,
        "version": "1.4",
        "platform": "Linux",
        "delta": False,
        "launch": "usr/games/supertuxkart",
    },
}
