"""Connections that break, servers that restart: the install ends with the right bytes."""

import random
import threading
from itertools import count

import pytest

from client.installations import Player
from client.lying_server import HostileServer, HostileVersion
from playdock_client.errors import RequestRefused, ServerUnavailable
from playdock_client.installing import FetchOptions
from playdock_client.progress import NoticeKind

LARGE = random.Random(1).randbytes(8_000_000)


def _version() -> HostileVersion:
    small = {f"small/{number}": LARGE[number * 997 : number * 1000] for number in range(100)}
    return HostileVersion("v1", {"large": LARGE, **small}, chunk=16 * 1024)


@pytest.mark.parametrize(
    ("options", "cuts", "longest"),
    [(FetchOptions(compress=False), 200, 60_000), (FetchOptions(compress=True), 30, 400_000)],
)
def test_hundreds_of_connection_failures_are_survived(
    hostile: HostileServer, player: Player, options: FetchOptions, cuts: int, longest: int
) -> None:
    hostile.serve(_version())
    made, folders = count(1), random.Random(7)
    hostile.cut = lambda: folders.randrange(longest) if next(made) <= cuts else None
    player.options = options
    player.install()

    assert next(made) > cuts
    assert player.files() == _version().files


def test_connection_failures_within_response_headers_are_survived(hostile: HostileServer, player: Player) -> None:
    hostile.serve(_version())
    heads, folders = count(1), random.Random(7)
    hostile.cut_head = lambda: folders.randrange(200) if next(heads) % 2 else None
    player.install()

    assert next(heads) > 10
    assert player.files() == _version().files


def test_a_short_server_outage_is_survived(hostile: HostileServer, player: Player) -> None:
    hostile.serve(_version())
    hostile.refusals = [(503, {}), (502, {}), (504, {}), (429, {"Retry-After": "1"}), (503, {"Retry-After": "x"})]
    player.install()

    assert player.files() == _version().files


def test_a_long_server_outage_is_reported_and_downloads_are_kept(hostile: HostileServer, player: Player) -> None:
    hostile.serve(_version())
    player.server.retry_seconds = 0.3
    # With several connections, a failure of one can end the installation before another has received anything.
    player.options = FetchOptions(connections=1)
    done = threading.Event()
    hostile.cut = lambda: 0 if done.is_set() else (done.set() or 900_000)  # type: ignore[func-returns-value]
    with pytest.raises(ServerUnavailable):
        player.install()
    hostile.cut = lambda: None
    outcome = player.install()

    assert outcome.reused > 0
    assert [notice.kind for notice in player.abortable.notices] == [NoticeKind.RESUMED]
    assert player.files() == _version().files


def test_a_refused_request_is_not_retried(hostile: HostileServer, player: Player) -> None:
    hostile.serve(_version())
    hostile.refusals = [(409, {})] * 4

    with pytest.raises(RequestRefused):
        player.install()


def test_damaged_bytes_are_downloaded_again(hostile: HostileServer, player: Player) -> None:
    hostile.serve(_version())
    damages, folders = count(1), random.Random(3)

    def damage(body: bytes) -> bytes:
        place = folders.randrange(len(body))
        return body[:place] + b"\xaa" + body[place + 1 :] if next(damages) <= 5 else body

    hostile.tamper = damage
    player.options = FetchOptions(compress=False)
    player.install()

    assert player.files() == _version().files
