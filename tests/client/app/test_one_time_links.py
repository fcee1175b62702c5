"""Keys of links that open a window once."""

from playdock_client.app.one_time_links import LIFETIME_SECONDS, OneTimeLinks


def test_a_key_is_valid_once() -> None:
    links = OneTimeLinks()
    key = links.create()
    assert [links.redeem("guess"), links.redeem(key), links.redeem(key)] == [False, True, False]


def test_a_key_expires() -> None:
    now = [0.0]
    links = OneTimeLinks(monotonic=lambda: now[0])
    key = links.create()
    now[0] = LIFETIME_SECONDS
    assert not links.redeem(key)


def test_unused_keys_do_not_accumulate() -> None:
    links = OneTimeLinks()
    keys = [links.create() for _ in range(100)]
    assert [links.redeem(key) for key in (keys[0], keys[-1])] == [False, True]
