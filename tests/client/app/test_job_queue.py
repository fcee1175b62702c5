"""The queue of an agent."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from playdock_client.app.changes import Changes
from playdock_client.app.holds import Hold
from playdock_client.app.job_queue import JobProgress, JobQueue
from playdock_client.app.jobs import CheckedFiles, GameBusy, Job, JobKind, JobState, UnknownJob, new_job_id
from playdock_client.errors import DiskFull
from playdock_client.responses import GameInfo

_PATIENCE = 120.0


def _job(name: str, kind: JobKind = JobKind.INSTALL) -> Job:
    return Job(new_job_id(), kind, "https://a.example", GameInfo(name, name), f"/games/{name}")


@dataclass
class Work:
    """Jobs that run until they are told to end, or are stopped."""

    begun: list[str] = field(default_factory=list)
    may_end: dict[str, threading.Event] = field(default_factory=dict)
    errors: dict[str, Exception] = field(default_factory=dict)
    hold: Hold | None = None

    def run(self, job: Job, progress: JobProgress) -> CheckedFiles | None:
        name = job.game.name
        ended = self.may_end.setdefault(name, threading.Event())
        self.begun.append(name)
        while not ended.wait(0.01):
            progress.check()
        if name in self.errors:
            raise self.errors[name]
        return CheckedFiles(0, 1) if job.kind is JobKind.VERIFY else None

    def end(self, name: str) -> None:
        self.may_end.setdefault(name, threading.Event()).set()


@dataclass
class Queue:
    """A queue with jobs that a test controls."""

    work: Work
    file: Path
    jobs: JobQueue

    def states(self) -> dict[str, JobState]:
        return {job.game.name: job.state for job in self.jobs.jobs()}

    def wait(self, is_reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not is_reached():
            assert time.monotonic() < deadline, self.states()
            time.sleep(0.01)

    def wait_for(self, **states: JobState) -> None:
        self.wait(lambda: states.items() <= self.states().items())


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    work = Work()
    file = tmp_path / "jobs.json"
    jobs = JobQueue(file, work.run, hold=lambda: work.hold, changes=Changes())
    jobs.start()
    yield Queue(work, file, jobs)
    jobs.close()


def test_downloads_run_one_after_another_and_others_beside_them(queue: Queue) -> None:
    for job in (_job("doom"), _job("quake"), _job("hexen", JobKind.VERIFY)):
        queue.jobs.submit(job)
    queue.wait_for(doom=JobState.RUNNING, quake=JobState.WAITING, hexen=JobState.RUNNING)
    for name in ("doom", "quake", "hexen"):
        queue.work.end(name)
    queue.wait_for(doom=JobState.DONE, quake=JobState.DONE, hexen=JobState.DONE)
    assert next(job.checked for job in queue.jobs.jobs() if job.game.name == "hexen") == CheckedFiles(0, 1)


def test_a_paused_job_makes_way_and_goes_on_later(queue: Queue) -> None:
    doom = _job("doom")
    queue.jobs.submit(doom)
    queue.jobs.submit(_job("quake"))
    queue.wait_for(doom=JobState.RUNNING)
    queue.jobs.pause(doom.id)
    queue.wait_for(doom=JobState.PAUSED, quake=JobState.RUNNING)
    queue.jobs.resume(doom.id)
    queue.work.end("quake")
    queue.wait_for(doom=JobState.RUNNING, quake=JobState.DONE)


def test_a_job_that_is_put_first_runs_first(queue: Queue) -> None:
    jobs = [_job(name) for name in ("doom", "quake", "hexen")]
    for job in jobs:
        queue.jobs.submit(job)
    queue.wait_for(doom=JobState.RUNNING)
    queue.jobs.move(jobs[2].id, 0)
    queue.wait_for(hexen=JobState.RUNNING, doom=JobState.WAITING, quake=JobState.WAITING)
    assert [job.game.name for job in queue.jobs.jobs()] == ["hexen", "doom", "quake"]


def test_a_failed_job_says_why_and_can_be_repeated(queue: Queue) -> None:
    queue.work.errors["doom"] = DiskFull("The disk is full.")
    doom = _job("doom")
    queue.work.end("doom")
    queue.jobs.submit(doom)
    queue.wait_for(doom=JobState.FAILED)
    [failed] = queue.jobs.jobs()
    assert failed.problem is not None
    assert (failed.problem.code, failed.problem.detail) == ("disk-full", "The disk is full.")
    del queue.work.errors["doom"]
    queue.jobs.resume(doom.id)
    queue.wait_for(doom=JobState.DONE)


def test_an_unexpected_error_does_not_end_the_queue(queue: Queue) -> None:
    queue.work.errors["doom"] = ZeroDivisionError()
    for name in ("doom", "quake"):
        queue.work.end(name)
        queue.jobs.submit(_job(name))
    queue.wait_for(doom=JobState.FAILED, quake=JobState.DONE)


def test_a_cancelled_job_is_gone(queue: Queue) -> None:
    doom = _job("doom")
    queue.jobs.submit(doom)
    queue.wait_for(doom=JobState.RUNNING)
    assert queue.jobs.cancel(doom.id).game.name == "doom"
    assert queue.states() == {}
    with pytest.raises(UnknownJob):
        queue.jobs.pause(doom.id)


def test_a_game_has_one_job(queue: Queue) -> None:
    queue.jobs.submit(_job("doom"))
    with pytest.raises(GameBusy):
        queue.jobs.submit(_job("doom", JobKind.VERIFY))


def test_downloads_wait_while_they_must(queue: Queue) -> None:
    queue.jobs.submit(_job("doom"))
    queue.wait_for(doom=JobState.RUNNING)
    queue.work.hold = Hold.PLAYING
    queue.wait_for(doom=JobState.WAITING)
    queue.jobs.submit(_job("hexen", JobKind.VERIFY))
    queue.wait_for(hexen=JobState.RUNNING, doom=JobState.WAITING)
    queue.work.hold = None
    queue.wait_for(doom=JobState.RUNNING)


def test_a_stopped_agent_goes_on_where_it_was(queue: Queue) -> None:
    doom, quake = _job("doom"), _job("quake")
    queue.jobs.submit(doom)
    queue.jobs.submit(quake)
    queue.wait_for(doom=JobState.RUNNING)
    queue.jobs.pause(quake.id)
    queue.jobs.close()
    again = JobQueue(queue.file, queue.work.run, hold=lambda: None, changes=Changes())
    assert [(job.game.name, job.state) for job in again.jobs()] == [
        ("doom", JobState.WAITING),
        ("quake", JobState.PAUSED),
    ]


def test_a_disk_that_cannot_be_written_does_not_end_the_queue(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("This is a file.")
    work = Work()
    work.errors["doom"] = OSError(28, "No space left on device", "/games/doom/level")
    jobs = JobQueue(tmp_path / "folder/jobs.json", work.run, hold=lambda: None, changes=Changes())
    jobs.start()
    queue = Queue(work, tmp_path, jobs)
    for name in ("doom", "quake"):
        work.end(name)
        jobs.submit(_job(name))
    queue.wait_for(doom=JobState.FAILED, quake=JobState.DONE)
    assert [job.problem.detail for job in jobs.jobs() if job.problem] == ["/games/doom/level: No space left on device."]
    jobs.close()


def test_a_damaged_file_is_an_empty_queue(tmp_path: Path) -> None:
    file = tmp_path / "jobs.json"
    file.write_text("{")
    assert JobQueue(file, Work().run, hold=lambda: None, changes=Changes()).jobs() == []
