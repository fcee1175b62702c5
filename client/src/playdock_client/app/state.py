"""What the agent tells the pages about itself."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from playdock_client.app.app_settings import AppSettings, GameFolder
from playdock_client.app.client_updater import ClientUpdate
from playdock_client.app.holds import Hold
from playdock_client.app.jobs import CheckedFiles, Job, JobKind, JobProblem, JobState
from playdock_client.app.library import LibraryGame
from playdock_client.progress import Phase
from playdock_client.progress_meter import ProgressReading
from playdock_client.responses import ApiStruct, GameInfo


class JobProgressState(ApiStruct, frozen=True):
    """The progress of a running job: bytes of ``total`` (0: unknown), bytes per second, and seconds left."""

    phase: Phase
    done: int
    total: int
    speed: int
    left: int | None


class ShownJob(ApiStruct, frozen=True):
    """A job as the pages show it."""

    id: str
    kind: JobKind
    game: GameInfo
    state: JobState
    automatic: bool
    problem: JobProblem | None
    checked: CheckedFiles | None
    progress: JobProgressState | None


class ActiveGame(ApiStruct, frozen=True):
    """A game that runs now, and since when (RFC 3339)."""

    game: str
    started: str


class LaunchFailure(ApiStruct, frozen=True):
    """Why a game did not start, or with which status it ended at once, and the last lines of its output."""

    game: str
    status: int | None
    detail: str
    output: Sequence[str] = ()


class GameFolderState(ApiStruct, frozen=True):
    """A folder for installations, and its free bytes; None if it cannot be reached."""

    id: str
    path: str
    free: int | None


class PlayedGame(ApiStruct, frozen=True):
    """How long a game has been played, in seconds, and when last (RFC 3339)."""

    game: str
    seconds: int
    last: str


class AgentState(ApiStruct, frozen=True):
    """The whole state. ``number`` grows with every change."""

    number: int
    version: str
    server: str
    platform: str
    runs: Sequence[str]
    online: bool
    games: Sequence[LibraryGame]
    jobs: Sequence[ShownJob]
    hold: Hold | None
    running: Sequence[ActiveGame]
    starting: Sequence[str]
    played: Sequence[PlayedGame]
    launch_problems: Sequence[LaunchFailure]
    settings: AppSettings
    client_update: ClientUpdate
    folders: Sequence[GameFolderState]


def shown_job(job: Job, reading: ProgressReading | None) -> ShownJob:
    """Return a job with its progress, which only a running one has."""
    progress = reading and JobProgressState(
        phase=reading.phase,
        done=reading.done,
        total=reading.total,
        speed=round(reading.speed),
        left=None if reading.left is None else round(reading.left),
    )
    return ShownJob(job.id, job.kind, job.game, job.state, job.automatic, job.problem, job.checked, progress or None)


def folder_state(folder: GameFolder) -> GameFolderState:
    """Return a folder with the free space on its disk, also before it exists."""
    path = Path(folder.path)
    existing = next((each for each in (path, *path.parents) if each.is_dir()), None)
    try:
        free = shutil.disk_usage(existing).free if existing else None
    except OSError:
        free = None
    return GameFolderState(folder.id, folder.path, free)
