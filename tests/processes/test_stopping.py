"""Stopping within a few seconds, with status 0, whatever hangs."""

import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from .service import MAX_STOP_SECONDS, Service, is_refused, until

_HANGING_SHARE = Path(__file__).parent / "hanging_share"
# More than the threads of a library, and than those that all other calls share.
_CALLS = 60


def hang(service: Service) -> Path:
    """Let the library hang from now on, and return the file with a line for each thread that waits for it."""
    games = service.folder / "games"
    games.with_suffix(".hangs").touch()
    return games.with_suffix(".waiting")


@pytest.mark.parametrize(("options", "number"), [((), signal.SIGTERM), (("--workers", "2"), signal.SIGHUP)])
def test_a_server_stops_although_its_library_hangs(service: Service, options: tuple[str, ...], number: int) -> None:
    games = service.folder / "games"
    (games / "Doom hanging/1.0").mkdir(parents=True)
    (games / "Doom hanging/1.0/hanging").write_bytes(bytes(1_000_000))
    service.more = {"PYTHONPATH": str(_HANGING_SHARE), "HANGING_LIBRARY": str(games)}
    service.start(*options)
    service.sign_up(service.invitations[0])
    game = service.import_game(games, "Doom hanging")
    assert service.finish(service.start_import(game, "1.0", launch="hanging"))["success"]
    version = service.get(f"/api/v1/games/{game}/versions")[0]["id"]

    waiting = hang(service)
    paths = [f"/api/v1/admin/import/version?id={game}", f"/api/v1/versions/{version}/content"]
    service.post(f"/api/v1/admin/version/{version}/verify", {})
    calls = [threading.Thread(target=_call, args=(service, paths[each % 2]), daemon=True) for each in range(_CALLS)]
    for call in calls:
        call.start()
    # Threads for files, for sending, and of the task.
    until(lambda: waiting.exists() and len(waiting.read_text().splitlines()) >= 3, what="waiting threads")

    began = time.monotonic()
    status = service.stop(number)
    took = time.monotonic() - began

    assert (status, took < MAX_STOP_SECONDS) == (0, True), took


def _call(service: Service, path: str) -> None:
    with suppress(httpx2.TransportError):
        service.request("GET", path)


def test_sighup_that_is_ignored_does_not_stop_a_server(service: Service) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        service.start("--workers", "2")
    finally:
        signal.signal(signal.SIGHUP, before)
    service.signal(signal.SIGHUP)
    assert service.request("GET", "/api/v1/auth").is_success
    assert service.stop() == 0


def test_processes_stop_when_the_one_that_started_them_was_killed(service: Service) -> None:
    service.start("--workers", "2")
    service.stop(signal.SIGKILL)
    until(lambda: is_refused(service.port), what="a port that nobody listens at")
