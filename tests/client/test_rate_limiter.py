"""How fast to go."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from playdock_client.rate_limiter import CompressionPolicy, RateLimiter

SLOW, FAST = 1_000_000, 100_000_000


def _learned(line: CompressionPolicy, *, plain: int, packed: int | None = None) -> CompressionPolicy:
    line.record(compressed=False, size=plain, seconds=1)
    if packed is not None:
        line.record(compressed=True, size=packed, seconds=1)
    return line


def test_compression_is_not_used_before_the_speed_is_known() -> None:
    assert not CompressionPolicy(None).choose()


def test_compression_is_not_used_on_a_fast_connection() -> None:
    assert not _learned(CompressionPolicy(None), plain=FAST).choose()


def test_compression_is_tried_on_a_slow_connection_and_kept_if_faster() -> None:
    assert _learned(CompressionPolicy(None), plain=SLOW).choose()
    assert _learned(CompressionPolicy(None), plain=SLOW, packed=2 * SLOW).choose()
    assert not _learned(CompressionPolicy(None), plain=2 * SLOW, packed=SLOW).choose()


def test_the_slower_option_is_retried_occasionally() -> None:
    line = _learned(CompressionPolicy(None), plain=2 * SLOW, packed=SLOW)

    assert [line.choose() for _ in range(32)].count(True) == 2


def test_compression_can_be_forced_unless_the_server_does_not_support_it() -> None:
    forced = _learned(CompressionPolicy(compress=True), plain=FAST)
    assert forced.choose()
    forced.disable()
    assert not forced.choose()


def test_a_limit_applies_to_all_threads_together() -> None:
    limiter = RateLimiter(1_000_000, stopped=threading.Event())
    begun = time.monotonic()
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(limiter.take, [10_000] * 20))

    assert time.monotonic() - begun > 0.15


def test_a_stopped_download_does_not_wait_for_the_limit() -> None:
    stopped = threading.Event()
    stopped.set()
    RateLimiter(1, stopped=stopped).take(1_000_000)
