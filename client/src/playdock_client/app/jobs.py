"""What the agent has to do: a queue of installations, updates, verifications and so on, kept on disk."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from uuid import uuid4

import msgspec

from playdock_client.documents import read_document, write_document
from playdock_client.errors import ClientError
from playdock_client.responses import ApiStruct, GameInfo
from playdock_client.shortcuts.game_shortcuts import ShortcutPlace


class JobKind(StrEnum):
    """What is done with a game."""

    INSTALL = "install"
    UPDATE = "update"
    ADOPT = "adopt"
    REPAIR = "repair"
    VERIFY = "verify"
    MOVE = "move"
    PREPARE = "prepare"
    UNINSTALL = "uninstall"


class JobState(StrEnum):
    """How far a job is. A waiting one may also wait for its hours, or for a game to end."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    FAILED = "failed"
    DONE = "done"


class Lane(StrEnum):
    """Jobs of one lane run one after another: a removal need not wait for a download."""

    DOWNLOAD = "download"
    LOCAL = "local"


_LANES = {
    JobKind.INSTALL: Lane.DOWNLOAD,
    JobKind.UPDATE: Lane.DOWNLOAD,
    JobKind.ADOPT: Lane.DOWNLOAD,
    JobKind.REPAIR: Lane.DOWNLOAD,
    JobKind.PREPARE: Lane.DOWNLOAD,
    JobKind.VERIFY: Lane.LOCAL,
    JobKind.MOVE: Lane.LOCAL,
    JobKind.UNINSTALL: Lane.LOCAL,
}


class JobProblem(ApiStruct, frozen=True):
    """Why a job failed: a code for the pages and a sentence."""

    code: str
    detail: str


class CheckedFiles(ApiStruct, frozen=True):
    """What a verification found: the number of missing and of damaged files."""

    missing: int
    damaged: int


class Job(ApiStruct, frozen=True):
    """A job. ``version`` is the id of the version to install, ``folder`` that of the installation.

    ``target`` is the folder to move it to. ``remove_own`` and ``remove_prefix`` are the choices of an uninstallation.
    """

    id: str
    kind: JobKind
    server: str
    game: GameInfo
    folder: str
    version: str | None = None
    target: str | None = None
    remove_own: bool = False
    remove_prefix: bool = False
    automatic: bool = False
    shortcuts: tuple[ShortcutPlace, ...] = ()
    state: JobState = JobState.WAITING
    problem: JobProblem | None = None
    checked: CheckedFiles | None = None

    @property
    def lane(self) -> Lane:
        return _LANES[self.kind]

    @property
    def active(self) -> bool:
        """Return whether it waits, runs or is paused."""
        return self.state in (JobState.WAITING, JobState.RUNNING, JobState.PAUSED)


class GameBusy(ClientError):
    """Something else is being done with the game."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Something else is being done with {name}. Wait for it or cancel it.")


class UnknownJob(ClientError):
    """There is no job with this id."""

    def __init__(self) -> None:
        super().__init__("This job has ended.")


def new_job_id() -> str:
    return str(uuid4())


def read_jobs(file: Path) -> list[Job]:
    """Return the stored jobs; what was running waits again. A file that cannot be read is ignored."""
    try:
        stored = read_document(file, list[Job]) or []
    except (msgspec.MsgspecError, OSError):
        return []
    waiting = {"state": JobState.WAITING}
    return [msgspec.structs.replace(job, **waiting) if job.state is JobState.RUNNING else job for job in stored]


def write_jobs(file: Path, jobs: Sequence[Job]) -> None:
    """Store the jobs that have not succeeded."""
    write_document(file, [job for job in jobs if job.state is not JobState.DONE])
