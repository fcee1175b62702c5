"""Connections that break, servers that restart: the install ends with the right bytes."""

import random
import threading
from itertools import count

import pytest

from client.installations import Player
from client.lying_server import LyingServer, LyingVersion
from playdock_client.errors import Refused, ServerAway
from playdock_client.installing import Options
from playdock_client.progress import NoticeKind

LARGE = random.Random(1).randbytes(8_000_000)


def _version() -> LyingVersion:
    small = {f"small/{number}": LARGE[number * 997 : number * 1000] for number in range(100)}
    return LyingVersion("v1", {"large": LARGE, **small}, chunk=16 * 1024)


@pytest.mark.parametrize(
    ("options", "cuts", "longest"), [(Options(compress=False), 200, 60_000), (Options(compress=True), 30, 400_000)]
)
def test_hundreds_of_cuts_do_not_matter(
    lying: LyingServer, player: Player, options: Options, cuts: int, longest: int
) -> None:
    lying.serve(_version())
    made, places = count(1), random.Random(7)
    lying.cut = lambda: places.randrange(longest) if next(made) <= cuts else None
    player.options = options
    player.install()

    assert next(made) > cuts
    assert player.files() == _version().files


def test_cuts_among_the_headers_do_not_matter(lying: LyingServer, player: Player) -> None:
    lying.serve(_version())
    heads, places = count(1), random.Random(7)
    lying.cut_head = lambda: places.randrange(200) if next(heads) % 2 else None
    player.install()

    assert next(heads) > 10
    assert player.files() == _version().files


def test_a_server_that_is_away_for_a_moment_does_not_matter(lying: LyingServer, player: Player) -> None:
    lying.serve(_version())
    lying.refusals = [(503, {}), (502, {}), (504, {}), (429, {"Retry-After": "1"}), (503, {"Retry-After": "x"})]
    player.install()

    assert player.files() == _version().files


def test_a_server_that_stays_away_is_told_and_what_was_fetched_is_kept(lying: LyingServer, player: Player) -> None:
    lying.serve(_version())
    player.server.patience = 0.3
    done = threading.Event()
    lying.cut = lambda: 0 if done.is_set() else (done.set() or 900_000)  # type: ignore[func-returns-value]
    with pytest.raises(ServerAway):
        player.install()
    lying.cut = lambda: None
    outcome = player.install()

    assert outcome.reused > 0
    assert [notice.kind for notice in player.watching.notices] == [NoticeKind.RESUMED]
    assert player.files() == _version().files


def test_a_refusal_is_not_tried_again(lying: LyingServer, player: Player) -> None:
    lying.serve(_version())
    lying.refusals = [(409, {})] * 4

    with pytest.raises(Refused):
        player.install()


def test_bytes_damaged_on_the_way_are_fetched_again(lying: LyingServer, player: Player) -> None:
    lying.serve(_version())
    damages, places = count(1), random.Random(3)

    def damage(body: bytes) -> bytes:
        place = places.randrange(len(body))
        return body[:place] + b"\xaa" + body[place + 1 :] if next(damages) <= 5 else body

    lying.tamper = damage
    player.options = Options(compress=False)
    player.install()

    assert player.files() == _version().files
