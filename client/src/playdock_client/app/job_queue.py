"""Runs jobs in threads, one at a time per lane, in an order that the player can change."""

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from playdock_client.app.changes import Changes
from playdock_client.app.holds import Hold
from playdock_client.app.jobs import (
    CheckedFiles,
    GameBusy,
    Job,
    JobProblem,
    JobState,
    Lane,
    UnknownJob,
    read_jobs,
    write_jobs,
)
from playdock_client.errors import ClientError, RequestRefused
from playdock_client.progress import Notice
from playdock_client.progress_meter import ProgressMeter, ProgressReading
from playdock_client.worker_pool import PoolClosed

# Finished and failed jobs that the Downloads page still shows.
_MAX_ENDED = 20
# How soon a waiting job notices that its hours have begun or that a game has ended.
_HOLD_CHECK_SECONDS = 1.0
_STOP_SECONDS = 10.0


class JobStopped(ClientError):
    """The player paused or cancelled the job, or downloads must wait."""

    def __init__(self) -> None:
        super().__init__("Stopped.")


class JobProgress(ProgressMeter):
    """Counts the progress of a job, and stops it on request."""

    def __init__(self, check: Callable[[], None]) -> None:
        super().__init__(_ignore)
        self._check = check

    def check(self) -> None:
        self._check()


RunJob = Callable[[Job, JobProgress], CheckedFiles | None]


class JobQueue:
    """The jobs of an agent. ``run`` does one; ``hold`` says why downloads must wait, if they must."""

    def __init__(self, file: Path, run: RunJob, *, hold: Callable[[], Hold | None], changes: Changes) -> None:
        self._file = file
        self._run_job = run
        self._hold = hold
        self._changes = changes
        self._condition = threading.Condition()
        self._jobs = read_jobs(file)
        self._progress: dict[str, JobProgress] = {}
        self._stop_requests: set[str] = set()
        self._closing = False
        self._threads = [
            threading.Thread(target=self._work, args=[lane], name=f"jobs-{lane.value}", daemon=True) for lane in Lane
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop running jobs, which continue when the agent starts again."""
        with self._condition:
            self._closing = True
            self._stop_requests.update(self._progress)
            self._condition.notify_all()
        for thread in self._threads:
            thread.join(_STOP_SECONDS)

    def jobs(self) -> list[Job]:
        """Return all jobs in their order, those that have ended first."""
        with self._condition:
            return list(self._jobs)

    def reading(self, job_id: str) -> ProgressReading | None:
        """Return the progress of a running job."""
        progress = self._progress.get(job_id)
        return progress.read() if progress else None

    @property
    def hold(self) -> Hold | None:
        return self._hold()

    def submit(self, job: Job) -> None:
        """Add a job. A failed one for the same game is replaced. Raises GameBusy."""
        with self._condition:
            same = [each for each in self._jobs if each.game.id == job.game.id and each.server == job.server]
            if any(each.active for each in same):
                raise GameBusy(job.game.name)
            self._jobs = [each for each in self._jobs if each not in same]
            self._jobs.append(job)
            self._store()

    def pause(self, job_id: str) -> None:
        """Pause a job. Raises UnknownJob."""
        with self._condition:
            self._change(self._find(job_id), state=JobState.PAUSED)
            self._stop_requests.add(job_id)

    def resume(self, job_id: str) -> None:
        """Let a paused or failed job wait for its turn. Raises UnknownJob."""
        with self._condition:
            job = self._find(job_id)
            if job.state in (JobState.PAUSED, JobState.FAILED):
                self._change(job, state=JobState.WAITING, problem=None)

    def cancel(self, job_id: str) -> Job:
        """Remove a job and return it. Raises UnknownJob."""
        with self._condition:
            job = self._find(job_id)
            self._jobs.remove(job)
            self._stop_requests.add(job_id)
            self._store()
            self._condition.wait_for(lambda: job_id not in self._progress, _STOP_SECONDS)
            return job

    def move(self, job_id: str, position: int) -> None:
        """Put a job at a position among the active jobs; 0 is the next to run. Raises UnknownJob."""
        with self._condition:
            job = self._find(job_id)
            others = [each for each in self._jobs if each.id != job_id]
            ended = [each for each in others if not each.active]
            active = [each for each in others if each.active]
            active.insert(max(0, min(position, len(active))), job)
            self._jobs = [*ended, *active]
            self._store()
            first = next((each.id for each in active if each.lane is job.lane), None)
            running = [each for each in active if each.state is JobState.RUNNING and each.lane is job.lane]
            # The running job makes way for one that was put before it.
            self._stop_requests.update(each.id for each in running if first == job_id != each.id)

    def restart_downloads(self) -> None:
        """Stop running downloads so that they continue with changed limits."""
        with self._condition:
            running = [job.id for job in self._jobs if job.state is JobState.RUNNING and job.lane is Lane.DOWNLOAD]
            self._stop_requests.update(running)

    def _work(self, lane: Lane) -> None:
        while (job := self._next(lane)) is not None:
            self._run(job)

    def _next(self, lane: Lane) -> Job | None:
        """Wait for the next job of a lane; None when the agent stops."""
        with self._condition:
            while not self._closing:
                waiting = [job for job in self._jobs if job.lane is lane and job.state is JobState.WAITING]
                if waiting and (lane is Lane.LOCAL or self._hold() is None):
                    return self._begin(waiting[0])
                self._condition.wait(_HOLD_CHECK_SECONDS)
        return None

    def _begin(self, job: Job) -> Job:
        self._stop_requests.discard(job.id)
        self._progress[job.id] = JobProgress(partial(self._check, job))
        return self._change(job, state=JobState.RUNNING)

    def _check(self, job: Job) -> None:
        if job.id in self._stop_requests or (job.lane is Lane.DOWNLOAD and self._hold() is not None):
            raise JobStopped

    def _run(self, job: Job) -> None:
        try:
            checked = self._run_job(job, self._progress[job.id])
        except (JobStopped, PoolClosed):
            self._end(job, state=JobState.WAITING)
        except (ClientError, OSError) as error:
            self._end(job, state=JobState.FAILED, problem=problem_of(error))
        except Exception as error:  # noqa: BLE001 - any other defect must not end the thread that all later jobs need
            detail = f"This failed unexpectedly: {type(error).__name__}: {error}."
            self._end(job, state=JobState.FAILED, problem=JobProblem("unexpected", detail))
        else:
            self._end(job, state=JobState.DONE, checked=checked)

    def _end(self, job: Job, *, state: JobState, **changes: Any) -> None:
        """Record how a job ended, unless it was paused or cancelled."""
        with self._condition:
            self._progress.pop(job.id, None)
            now = next((each for each in self._jobs if each.id == job.id), None)
            if now is not None and now.state is JobState.RUNNING:
                self._change(now, state=state, **changes)
            self._forget_old()
            self._condition.notify_all()

    def _forget_old(self) -> None:
        ended = [job for job in self._jobs if not job.active]
        for job in ended[: max(0, len(ended) - _MAX_ENDED)]:
            self._jobs.remove(job)

    def _find(self, job_id: str) -> Job:
        found = next((job for job in self._jobs if job.id == job_id), None)
        if found is None:
            raise UnknownJob
        return found

    def _change(self, job: Job, **changes: Any) -> Job:
        changed = msgspec.structs.replace(job, **changes)
        self._jobs[self._jobs.index(job)] = changed
        self._store()
        return changed

    def _store(self) -> None:
        # On a full disk the queue goes on; only an agent that is ended before the next one forgets the change.
        with suppress(OSError):
            write_jobs(self._file, self._jobs)
        self._condition.notify_all()
        self._changes.announce()


def problem_of(error: ClientError | OSError) -> JobProblem:
    """Return an error as the pages show it."""
    if isinstance(error, OSError):
        return JobProblem("disk-error", f"{error.filename or 'A file'}: {error.strerror or error}.")
    code = re.sub(r"(?<!^)(?=[A-Z])", "-", type(error).__name__).lower()
    return JobProblem(error.type if isinstance(error, RequestRefused) and error.type else code, str(error))


def _ignore(_notice: Notice) -> None:
    """Notices are for the terminal."""
