"""Importing what was uploaded: the server plans it, and imports the folder if it is certain which game it is."""

import time
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlencode

import msgspec

from playdock_client.errors import ClientError
from playdock_client.progress import Phase, Progress
from playdock_client.ranges import path_segment
from playdock_client.responses import ApiStruct
from playdock_client.uploading import UploadServer

_PLAN, _RUNS = "/api/v1/admin/import/plan", "/api/v1/admin/import/run"
_JSON = {"Content-Type": "application/json"}
_ACCEPTED = frozenset({202})
_POLL_SECONDS = 1.0
# A scan that is running may have begun before the upload was complete.
_PLAN_SECONDS = 300.0
# Reading the files of a large game takes minutes.
_IMPORT_SECONDS = 3600.0
_T = TypeVar("_T")


class NotImported(ClientError):
    """The server did not import an upload by itself."""


class _PlanTask(ApiStruct, frozen=True):
    task_id: str | None = None


class _PlanRow(ApiStruct, frozen=True):
    id: str
    library: str
    game: str
    certain: bool


class _Plan(ApiStruct, frozen=True):
    task_id: str | None
    rows: tuple[_PlanRow, ...]


class _RunStarted(ApiStruct, frozen=True):
    run_id: str


class _RunRow(ApiStruct, frozen=True):
    library: str
    game: str
    game_id: str | None
    fault: str | None
    done: str | None


class _Run(ApiStruct, frozen=True):
    rows: tuple[_RunRow, ...] = ()


class _RunSummary(ApiStruct, frozen=True):
    id: str


class _Planned(msgspec.Struct, frozen=True):
    """The row of a folder in the plan, or the game as which it has been imported."""

    row: _PlanRow | None = None
    game_id: str = ""


class ImportServer(UploadServer):
    """A server, with the calls for imports.

    They need a token with ``system:import:game:read`` and ``system:import:version:read``.
    """

    def import_folder(self, library: str, folder: str, progress: Progress) -> str:
        """Import the folder of a game in a library, and return the id of the game; its versions may appear later.

        Raises NotImported if the server is not certain which game it is, or cannot import it.
        """
        progress.begin(Phase.PREPARE, total=0)
        planned = self._wait_for(lambda: self._planned(library, folder), seconds=_PLAN_SECONDS, progress=progress)
        row = planned.row
        if row is None:
            return planned.game_id
        if not row.certain:
            raise NotImported(f"The server is not certain which game {folder} is. Import it on its Import page.")
        body = msgspec.json.encode({"rows": [{"id": row.id}]})
        started = self._read("POST", _PLAN, _RunStarted, body=body, headers=_JSON, expect=_ACCEPTED)
        return self._wait_for(
            lambda: self._game_of(started.run_id, library, folder), seconds=_IMPORT_SECONDS, progress=progress
        )

    def wait_for_version(self, has_versions: Callable[[], bool], progress: Progress) -> None:
        """Wait until a game has a version. Raises NotImported if that takes too long."""
        self._wait_for(lambda: has_versions() or None, seconds=_IMPORT_SECONDS, progress=progress)

    def _planned(self, library: str, folder: str) -> _Planned | None:
        """Return what has become of a folder, None if the server has not read it yet."""
        query = urlencode({"library": library, "q": folder, "limit": 500})
        plan = self._get(f"{_PLAN}?{query}", _Plan)
        row = next((row for row in plan.rows if (row.library, row.game) == (library, folder)), None)
        if row is not None or plan.task_id is not None:
            return _Planned(row) if row else None
        # A folder that the plan does not have was imported by the rules of its library, or is about to be listed.
        body = msgspec.json.encode({"fresh": False})
        task = self._read("POST", f"{_PLAN}/task", _PlanTask, body=body, headers=_JSON, expect=_ACCEPTED)
        game_id = None if task.task_id else self._imported(library, folder)
        return _Planned(game_id=game_id) if game_id else None

    def _imported(self, library: str, folder: str) -> str | None:
        """Return the id of the game if one of the newest runs has imported a folder."""
        for run in self._get(_RUNS, list[_RunSummary]):
            if found := self._game_of(run.id, library, folder):
                return found
        return None

    def _game_of(self, run_id: str, library: str, folder: str) -> str | None:
        """Return the id of the game as which a run has imported a folder, None if it has not yet."""
        for row in self._get(f"{_RUNS}/{path_segment(run_id)}", _Run).rows:
            if (row.library, row.game) == (library, folder) and row.done:
                if row.fault or not row.game_id:
                    raise NotImported(f"The server could not import {folder}. {row.fault or ''}".rstrip())
                return row.game_id
        return None

    def _wait_for(self, look: Callable[[], _T | None], *, seconds: float, progress: Progress) -> _T:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            progress.check()
            if (found := look()) is not None:
                return found
            time.sleep(_POLL_SECONDS)
        raise NotImported("The server has not finished importing the upload.")
