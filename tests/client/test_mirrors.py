"""Mirrors and file links that fail or lie: the installation is correct, and nothing secret is sent to them."""

import random
import socket
from collections.abc import Callable, Iterator

import pytest

from client.installations import Player
from client.lying_server import HostileServer, HostileVersion, lying_server
from playdock_client.progress import NoticeKind

FILES = {"doom": random.Random(69).randbytes(3_000_000), "small": b"small"}
VERSION = HostileVersion("v1", FILES)


@pytest.fixture
def mirror(hostile: HostileServer) -> Iterator[HostileServer]:
    """The mirror of the server that the player installs from."""
    with lying_server() as running:
        for each in (hostile, running):
            each.serve(VERSION)
        hostile.mirrors = [running.address]
        yield running


@pytest.fixture(params=["mirror", "link"])
def elsewhere(hostile: HostileServer, mirror: HostileServer, request: pytest.FixtureRequest) -> HostileServer:
    """The mirror, or the same server reached by links to files."""
    if request.param == "link":
        hostile.mirrors, hostile.linked = [], mirror.address
    return mirror


def _dropped(player: Player) -> list[str]:
    return [notice.message for notice in player.abortable.notices if notice.kind is NoticeKind.MIRROR_DROPPED]


def test_a_mirror_is_preferred_and_gets_only_the_ticket(
    hostile: HostileServer, mirror: HostileServer, player: Player
) -> None:
    outcome = player.install()

    assert player.files() == FILES
    assert (hostile.fetches(), _dropped(player)) == ([], [])
    assert {path.rpartition("/")[2] for path in mirror.requests} == {VERSION.etag}
    assert mirror.credentials == {"Bearer a-ticket"}
    assert outcome.fetched > len(FILES["doom"])


def test_a_link_is_preferred_and_gets_nothing(hostile: HostileServer, mirror: HostileServer, player: Player) -> None:
    hostile.mirrors, hostile.linked = [], mirror.address
    player.install()

    assert player.files() == FILES
    assert (hostile.fetches(), _dropped(player)) == ([], [])
    assert {path.rpartition("/")[2] for path in mirror.requests} == {"content?signature=a%20b"}
    assert mirror.credentials == {""}


@pytest.mark.parametrize("address", ["file:///etc/passwd", "http://s3.example", "nonsense", "http://[::1"])
def test_unusable_links_are_ignored(hostile: HostileServer, player: Player, address: str) -> None:
    hostile.serve(VERSION)
    hostile.linked = address
    player.install()

    assert player.files() == FILES


def _wrong(mirror: HostileServer) -> None:
    mirror.tamper = lambda body: bytes(len(body))


def _one_wrong_byte(mirror: HostileServer) -> None:
    mirror.tamper = lambda body: body[:-1] + bytes([body[-1] ^ 1])


def _cut(mirror: HostileServer) -> None:
    mirror.cut = lambda: 100


def _refusing(mirror: HostileServer) -> None:
    mirror.refuse = lambda _: 401


def _failing(mirror: HostileServer) -> None:
    mirror.refuse = lambda _: 500


def _redirecting(mirror: HostileServer) -> None:
    mirror.refuse = lambda _: 302


def _without(mirror: HostileServer) -> None:
    mirror.versions.clear()


@pytest.mark.parametrize(
    "lie", [_wrong, _one_wrong_byte, _cut, _refusing, _failing, _redirecting, _without], ids=lambda lie: lie.__name__
)
def test_a_mirror_that_fails_or_lies_is_dropped(
    hostile: HostileServer, elsewhere: HostileServer, player: Player, lie: Callable[[HostileServer], None]
) -> None:
    lie(elsewhere)
    player.install()

    assert player.files() == FILES
    assert hostile.fetches()
    assert len(_dropped(player)) == 1
    assert elsewhere.address in _dropped(player)[0]


def test_the_next_mirror_is_used_instead(hostile: HostileServer, mirror: HostileServer, player: Player) -> None:
    with lying_server() as liar:
        liar.serve(VERSION)
        _wrong(liar)
        hostile.mirrors = [liar.address, mirror.address]
        player.install()

    assert player.files() == FILES
    assert (hostile.fetches(), len(_dropped(player))) == ([], 1)


def test_unusable_addresses_of_mirrors_are_ignored(hostile: HostileServer, player: Player) -> None:
    hostile.serve(VERSION)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    # Nobody else on the network may read the ticket.
    hostile.mirrors = ["file:///etc/passwd", "http://mirror.example", f"http://127.0.0.1:{port}"]
    player.install()

    assert player.files() == FILES
    assert [f"127.0.0.1:{port}" in message for message in _dropped(player)] == [True]


def test_one_failure_does_not_drop_a_mirror(hostile: HostileServer, elsewhere: HostileServer, player: Player) -> None:
    elsewhere.refusals = [(503, {}), (502, {})]
    player.install()

    assert player.files() == FILES
    assert (hostile.fetches(), _dropped(player)) == ([], [])
