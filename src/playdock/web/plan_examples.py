"""Examples of plans and runs."""

from typing import Any

_ID = "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"
_OTHER_ID = "9c0b5d7e-27a1-4a9b-8d2e-51f4c7e3aa10"
_NOW = "2026-11-20T05:38:00.000Z"

_CLUE = {"kind": "ID", "source": "Steam", "value": "1536610", "detail": "steam_appid.txt"}
_CANDIDATE: dict[str, Any] = {
    "id": "1536610",
    "sourceId": "Steam",
    "sourceName": "Steam",
    "name": "OpenTTD",
    "year": 2021,
    "icon": "",
    "description": "A transport simulation.",
    "confidence": 0.9775,
    "reasons": ["Steam id 1536610", "folder name: OpenTTD", "program: openttd"],
}
_PROPOSED = {
    "version": "13.0",
    "platform": "Linux",
    "onlySetup": False,
    "launch": "usr/games/openttd",
    "setup": "",
    "match": 0.9409,
    "remark": "",
}
_ROW: dict[str, Any] = {
    "id": _ID,
    "library": _OTHER_ID,
    "game": "OpenTTD",
    "title": "OpenTTD",
    "certain": True,
    "confidence": 0.9775,
    "clues": [_CLUE],
    "candidates": [_CANDIDATE],
    "versions": [_PROPOSED],
    "remark": "",
    "computed": _NOW,
}
_CHOSEN_VERSION = {"version": "13.0", "platform": "Linux", "launch": "usr/games/openttd"}
_CHOSEN_ROW: dict[str, Any] = {
    "id": _ID,
    "metadata": {"id": "1536610", "sourceId": "Steam", "name": "OpenTTD"},
    "versions": [_CHOSEN_VERSION],
}
_RUN_ROW = {"library": _OTHER_ID, "game": "OpenTTD", "gameId": _ID, "fault": None, "done": _NOW}
_RUN = {"id": _ID, "taskId": _OTHER_ID, "created": _NOW, "takenBack": None, "total": 1, "imported": 1, "failed": 0}

PLANS: dict[str, Any] = {
    "CandidateAnswer": _CANDIDATE,
    "ChosenRow": _CHOSEN_ROW,
    "ChosenVersion": _CHOSEN_VERSION,
    "ClueAnswer": _CLUE,
    "PlanAnswer": {"taskId": None, "total": 1, "certain": 1, "doubtful": 0, "rows": [_ROW]},
    "PlanChoice": {"rows": [_CHOSEN_ROW], "certain": True},
    "PlanRowAnswer": _ROW,
    "ProposedVersion": _PROPOSED,
    "RunAnswer": {**_RUN, "rows": [_RUN_ROW]},
    "RunRowAnswer": _RUN_ROW,
    "RunStarted": {"taskId": _OTHER_ID, "runId": _ID},
    "RunSummary": _RUN,
}
