"""Valid and invalid values of the ``Host`` header."""

import pytest

from playdock.server.host_header import is_valid_host

VALID = [
    "",
    "h",
    "games.example.org",
    "localhost:3000",
    "192.0.2.1:65535",
    "[::1]",
    "[2001:db8::1]:443",
    "h:",
    "my_nas",
]
INVALID = [
    ":", "h:65536", "h:-1", "h:x", "h:1:2", "h:123456", "[::1", "::1", "[:::]", "[]", "[v1.x]", "[::1%25eth0]", "a@b",
    "a b", "a,b", "a/b", "%0d%0aSet-Cookie:x", "h\x00", "h\n", "ä", "a" * 256,
]  # fmt: skip


@pytest.mark.parametrize("value", VALID)
def test_hosts_with_and_without_ports_are_valid(value: str) -> None:
    assert is_valid_host(value.encode())


@pytest.mark.parametrize("value", INVALID)
def test_what_is_no_host_is_invalid(value: str) -> None:
    assert not is_valid_host(value.encode())
