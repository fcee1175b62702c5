"""Rows that earlier releases stored can be read, and are stored with the same keys."""

import json
from typing import Any

import msgspec
import pytest

from playdock import (
    stored,
    stored_events,
    stored_file_changes,
    stored_import_parts,
    stored_moves,
    stored_release_notes,
)
from playdock.stored import (
    DropVersionArguments,
    ImportGameArguments,
    ImportRunArguments,
    ImportVersionArguments,
    LibraryOptions,
    LibraryRules,
    PatchVersionArguments,
    PlaceUploadArguments,
    PlanCandidate,
    PlanClue,
    PlanImportArguments,
    RefreshGameArguments,
    ReimportVersionArguments,
    RemoveLibraryArguments,
    RunChoice,
    RunVersion,
    Stored,
    StoredAgeRating,
    StoredDelivery,
    StoredPreferences,
    StoredRating,
    StoredRendition,
    StoredWebsite,
    TaskArguments,
    VerifyVersionArguments,
    VersionProposal,
)
from playdock.stored_events import (
    ArticleEvent,
    EventData,
    FoldersEvent,
    LibraryEvent,
    NewVersionEvent,
    RequestEvent,
    SpaceEvent,
    StoredMessage,
    TaskEvent,
    VersionEvent,
)
from playdock.stored_file_changes import (
    ChangeFilesArguments,
    ClearedReference,
    DeleteOldVersionsArguments,
    EraseTrashArguments,
    MovedPath,
    PackedPlace,
    RemovedRows,
    RestorableRows,
    StoredFileChange,
)
from playdock.stored_import_parts import ReadPartsArguments
from playdock.stored_moves import MovedCommand, MovedVersion, MoveVersionsArguments
from playdock.stored_release_notes import FetchReleaseNotesArguments

_REFERENCE = {"sourceId": "Steam", "id": "400", "name": "Portal"}
# What releases wrote, the earliest first. A row here never changes; a new key gets a row of its own.
_RELEASED: list[tuple[type[Stored], dict[str, Any]]] = [
    (ImportGameArguments, {"game": "g", "library": "l", "path": "Portal", "metadata": _REFERENCE}),
    (PlaceUploadArguments, {"upload": "u"}),
    (RefreshGameArguments, {"game": "g", "metadata": _REFERENCE, "overwrite": ["name", "ageRatings"]}),
    (
        ImportVersionArguments,
        {
            "game": "g",
            "version": "v",
            "name": "1.0",
            "platform": "Linux",
            "base": None,
            "onlySetup": False,
            "launch": "portal",
            "launchArgs": "-novid",
            "setup": "",
            "setupArgs": "",
            "compatId": None,
        },
    ),
    (
        ImportVersionArguments,
        {
            "game": "g",
            "version": "v",
            "name": "Portal 1.1",
            "platform": "Linux",
            "beside": True,
            "base": None,
            "onlySetup": False,
            "launch": "portal",
            "launchArgs": "",
            "setup": "",
            "setupArgs": "",
            "compatId": None,
        },
    ),
    (ReimportVersionArguments, {"version": "v"}),
    (VerifyVersionArguments, {"version": "v"}),
    (PatchVersionArguments, {"version": "new", "from": "old"}),
    (PatchVersionArguments, {"version": "new", "from": "old", "differences": True}),
    (DropVersionArguments, {"version": "v", "packed": True, "previous": "u"}),
    (MovedCommand, {"program": "game", "arguments": "-w"}),
    (
        MovedVersion,
        {
            "name": "1.1",
            "platform": None,
            "launches": [],
            "setup": {"program": "setup.exe", "arguments": "/S"},
            "onlySetup": True,
            "delta": False,
            "compatId": "umu-1",
        },
    ),
    (
        MovedVersion,
        {
            "name": "Portal 1.1",
            "platform": "Linux",
            "launches": [],
            "setup": {"program": "", "arguments": ""},
            "onlySetup": False,
            "delta": False,
            "compatId": None,
            "beside": True,
        },
    ),
    (
        MoveVersionsArguments,
        {
            "server": "drop",
            "game": "g",
            "key": "k",
            "versions": [
                {
                    "name": "1.1",
                    "platform": "Linux",
                    "launches": [{"program": "game", "arguments": "-w"}],
                    "setup": {"program": "", "arguments": ""},
                    "onlySetup": False,
                    "delta": True,
                    "compatId": None,
                }
            ],
            "waiting": ["1.1"],
        },
    ),
    (PlanImportArguments, {"fresh": True}),
    (ImportRunArguments, {"run": "r"}),
    (TaskArguments, {}),
    (RemoveLibraryArguments, {"library": "l"}),
    (PlanClue, {"kind": "ID", "source": "Steam", "value": "400", "detail": "steam_appid.txt"}),
    (
        PlanCandidate,
        {
            "id": "400",
            "sourceId": "Steam",
            "sourceName": "Steam",
            "name": "Portal",
            "year": 2007,
            "icon": "",
            "description": "",
            "confidence": 0.97,
            "reasons": ["Steam id 400"],
        },
    ),
    (
        VersionProposal,
        {
            "version": "1.0",
            "platform": "Linux",
            "onlySetup": False,
            "launch": "portal",
            "setup": "",
            "match": 0.9,
            "remark": "It cannot be read.",
            "remarkCode": "cannot-be-read",
            "remarkParameters": {},
        },
    ),
    (
        VersionProposal,
        {
            "version": "1.0",
            "platform": "Windows",
            "onlySetup": True,
            "launch": "",
            "setup": "setup_portal.exe",
            "setupArgs": "/VERYSILENT",
            "match": 0.9,
            "remark": "",
            "remarkCode": None,
            "remarkParameters": {},
        },
    ),
    (StoredRating, {"source": "IGDB", "score": 0.9, "count": None, "url": ""}),
    (StoredAgeRating, {"board": "PEGI", "value": "12", "descriptors": ["Violence"]}),
    (StoredWebsite, {"kind": "official", "url": "https://portal.example"}),
    (
        StoredRendition,
        {"size": "small", "mediaType": "image/webp", "width": 480, "height": 270, "objectId": "o"},
    ),
    (LibraryOptions, {"baseDir": "/games"}),
    (LibraryOptions, {"baseDir": "/games", "managed": True}),
    (LibraryRules, {"importGames": False, "importVersions": True, "ignore": ["*.part"]}),
    (EventData, {}),
    (
        VersionEvent,
        {"game": "g", "gameName": "Portal", "version": "v", "versionName": "1.0", "platform": "Linux"},
    ),
    (
        VersionEvent,
        {
            "game": "g",
            "gameName": "Portal",
            "version": "v",
            "versionName": "Portal 1.0 (GOG)",
            "platform": "Linux",
            "label": "1.0 (GOG)",
        },
    ),
    (StoredMessage, {"text": "Import Portal", "code": "import-game", "parameters": {"game": "Portal"}}),
    (
        TaskEvent,
        {
            "task": "t",
            "taskType": "import:game",
            "name": {"text": "Import Portal", "code": None, "parameters": {}},
            "reason": {"text": "The drive is full.", "code": "disk-full", "parameters": {}},
        },
    ),
    (SpaceEvent, {"reason": {"text": "3 GiB are free.", "code": "space-low", "parameters": {"size": 3}}}),
    (NewVersionEvent, {"library": "l", "libraryName": "Games", "folder": "Portal", "versionName": "1.1"}),
    (
        LibraryEvent,
        {"library": "l", "libraryName": "Games", "reason": {"text": "It is empty.", "code": "away", "parameters": {}}},
    ),
    (FoldersEvent, {"library": "l", "libraryName": "Games", "count": 2, "folders": ["Portal", "Doom"]}),
    (
        StoredDelivery,
        {
            "channels": {"email": ["game.added"]},
            "quietFrom": "22:00",
            "quietUntil": "07:00",
            "digestAt": "18:00",
            "timeZone": "Europe/Berlin",
            "language": "de",
            "chatUrl": "",
        },
    ),
    (ArticleEvent, {"article": "a", "title": "Game night", "game": None}),
    (RequestEvent, {"request": "r", "name": "Portal", "status": "accepted", "comment": "Soon.", "game": None}),
    (ChangeFilesArguments, {"change": "c", "settle": True}),
    (EraseTrashArguments, {"items": ["i"]}),
    (DeleteOldVersionsArguments, {"keep": 2, "versions": ["v"]}),
    (FetchReleaseNotesArguments, {"version": "v"}),
    (ReadPartsArguments, {"task": "t", "game": "g", "name": "1.0"}),
    (ReadPartsArguments, {"task": "t", "game": "g", "name": "Portal 1.1", "beside": True}),
    (MovedPath, {"source": "Portal", "target": "Portal 2"}),
    (
        StoredFileChange,
        {
            "paths": [{"source": "Portal/1.0", "target": ".playdock/trash/i/1.0"}],
            "targetLibrary": "l",
            "version": "v",
            "item": "",
        },
    ),
    (
        StoredFileChange,
        {
            "paths": [{"source": "Portal/1.0", "target": ".playdock/trash/i/1.0"}],
            "targetLibrary": "l",
            "version": "v",
            "item": "",
            "title": "Portal",
        },
    ),
    (
        StoredFileChange,
        {
            "paths": [{"source": "Portal/2.0", "target": "Portal 2/2.0"}],
            "targetLibrary": "l",
            "version": "v",
            "targetGame": "g",
            "item": "",
            "title": "",
        },
    ),
    (
        StoredFileChange,
        {
            "paths": [{"source": ".playdock/moving/i.unpacked", "target": "Portal/2.0"}],
            "targetLibrary": "l",
            "version": None,
            "targetGame": "",
            "item": "",
            "title": "Portal",
            "packed": {"library": "m", "game": "Portal", "version": "2.0.7z"},
        },
    ),
    (PackedPlace, {"library": "m", "game": "Portal", "version": "default"}),
    (RemovedRows, {"table": "versions", "rows": [{"id": "v", "name": "1.0"}]}),
    (ClearedReference, {"table": "news_articles", "column": "version_id", "key": {"id": "a"}, "value": "v"}),
    (RestorableRows, {"removed": [], "cleared": []}),
    (StoredPreferences, {"platforms": ["Linux"], "tags": ["t"], "muted": ["version.added"]}),
]


@pytest.mark.parametrize(("struct", "row"), _RELEASED, ids=lambda value: getattr(value, "__name__", ""))
def test_a_row_of_an_earlier_release_is_read_and_stored_unchanged(struct: type[Stored], row: dict[str, Any]) -> None:
    written = json.loads(json.dumps(stored.encode(stored.decode(row, struct))))
    latest = dict(_RELEASED)[struct]
    assert written.keys() == latest.keys()
    assert _only(written, row) == row


def _only(written: Any, row: Any) -> Any:
    """What was written, without the keys that the row and the structs in it do not have."""
    if isinstance(row, dict):
        return {key: _only(written[key], row[key]) for key in row}
    if isinstance(row, list):
        return [_only(*both) for both in zip(written, row, strict=True)]
    return written


def test_every_struct_has_a_row_of_an_earlier_release() -> None:
    named = {struct for struct, _ in _RELEASED} | {stored.MetadataReference, RunVersion, RunChoice}
    modules = (
        stored,
        stored_file_changes,
        stored_import_parts,
        stored_events,
        stored_moves,
        stored_release_notes,
    )
    values = [value for module in modules for value in vars(module).values()]
    structs = {each for each in values if isinstance(each, type) and issubclass(each, Stored)}
    assert structs - {Stored} == named


def test_a_folder_imported_by_its_name_has_no_metadata() -> None:
    arguments = stored.decode({"game": "g", "library": "l", "path": "Portal"}, ImportGameArguments)
    assert arguments.metadata is None


def test_a_choice_may_omit_unselected_fields() -> None:
    assert stored.decode({}, RunChoice) == RunChoice()
    guessed = {"version": "1.0", "platform": "Linux", "onlySetup": False, "launch": "portal", "setup": ""}
    choice = stored.decode({"metadata": _REFERENCE, "versions": [guessed]}, RunChoice)
    assert choice.versions == (RunVersion(version="1.0", platform="Linux", launch="portal"),)


def test_a_remark_of_an_earlier_release_has_no_code() -> None:
    proposal = stored.decode({"version": "1.0", "remark": "It cannot be read."}, VersionProposal)
    assert (proposal.remark, proposal.remark_code, proposal.remark_parameters) == ("It cannot be read.", None, {})


def test_keys_of_a_newer_release_are_ignored() -> None:
    assert stored.decode({"run": "r", "priority": 3}, ImportRunArguments) == ImportRunArguments(run="r")


def test_a_row_without_a_required_key_is_rejected() -> None:
    with pytest.raises(msgspec.ValidationError, match="run"):
        stored.decode({}, ImportRunArguments)
