"""How fast to go."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from playdock_client.pace import Limiter, Line

SLOW, FAST = 1_000_000, 100_000_000


def _learned(line: Line, *, plain: int, packed: int | None = None) -> Line:
    line.learn(packed=False, size=plain, seconds=1)
    if packed is not None:
        line.learn(packed=True, size=packed, seconds=1)
    return line


def test_nobody_compresses_before_the_line_is_known() -> None:
    assert not Line(None).choose()


def test_a_fast_line_is_left_plain() -> None:
    assert not _learned(Line(None), plain=FAST).choose()


def test_on_a_slow_line_compression_is_tried_and_kept_while_it_pays() -> None:
    assert _learned(Line(None), plain=SLOW).choose()
    assert _learned(Line(None), plain=SLOW, packed=2 * SLOW).choose()
    assert not _learned(Line(None), plain=2 * SLOW, packed=SLOW).choose()


def test_what_was_slower_is_tried_again_now_and_then() -> None:
    line = _learned(Line(None), plain=2 * SLOW, packed=SLOW)

    assert [line.choose() for _ in range(32)].count(True) == 2


def test_the_players_word_counts_and_so_does_a_server_that_cannot() -> None:
    forced = _learned(Line(compress=True), plain=FAST)
    assert forced.choose()
    forced.distrust()
    assert not forced.choose()


def test_a_limit_holds_for_all_threads_together() -> None:
    limiter = Limiter(1_000_000, stopped=threading.Event())
    begun = time.monotonic()
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(limiter.take, [10_000] * 20))

    assert time.monotonic() - begun > 0.15


def test_whoever_must_end_does_not_wait_for_the_limit() -> None:
    stopped = threading.Event()
    stopped.set()
    Limiter(1, stopped=stopped).take(1_000_000)
