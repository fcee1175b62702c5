"""Which servers a machine is signed in to."""

from pathlib import Path

import pytest

from playdock_client.credentials import (
    Credentials,
    CredentialsUnreadable,
    CredentialsUnwritable,
    address_of,
)
from playdock_client.errors import ServerUnavailable
from playdock_client.transport import is_unencrypted

BAD_ADDRESSES = [
    "",
    "ftp://a.example",
    "https://",
    "https://a.example/store?q=1",
    "https://a.example/a/../b",
    "//[x",
    "http://[x",
    "a b",
    "http://ex ample.org",
    ".",
    "a..b",
    "x" * 64,
    "ö" * 64,
    "http://a:99999",
]


@pytest.fixture
def credentials(tmp_path: Path) -> Credentials:
    return Credentials(tmp_path / "config" / "credentials.json")


def test_only_the_owner_can_read_the_tokens(credentials: Credentials) -> None:
    credentials.add("https://a.example", "pdc_secret")

    assert credentials.file.stat().st_mode & 0o777 == 0o600
    assert credentials.file.parent.stat().st_mode & 0o777 == 0o700


def test_a_token_is_found_only_for_its_server(credentials: Credentials) -> None:
    credentials.add("https://a.example", "pdc_a")
    credentials.add("https://b.example", "pdc_b")

    assert credentials.token_for("https://a.example") == "pdc_a"
    assert credentials.token_for("http://a.example") is None


def test_the_newest_server_is_the_one_last_signed_in_to(credentials: Credentials) -> None:
    assert credentials.newest() is None
    for address in ("https://a.example", "https://b.example", "https://a.example"):
        credentials.add(address, "pdc_new")

    assert credentials.newest() == "https://a.example"
    assert len(credentials.servers()) == 2


def test_removing_a_server_keeps_the_others(credentials: Credentials) -> None:
    credentials.add("https://a.example", "pdc_a")
    credentials.add("https://b.example", "pdc_b")
    credentials.remove("https://b.example")

    assert [each.address for each in credentials.servers()] == ["https://a.example"]


@pytest.mark.parametrize("content", [b"{", b'{"token": 1}', b"\xff\xfe", b'[{"address": "https://a.example"}]'])
def test_an_invalid_file_is_reported_without_its_content(credentials: Credentials, content: bytes) -> None:
    credentials.file.parent.mkdir()
    credentials.file.write_bytes(content)

    with pytest.raises(CredentialsUnreadable, match=r"Remove it and sign in again\.$"):
        credentials.servers()


def test_the_repr_of_a_server_does_not_contain_the_token(credentials: Credentials) -> None:
    credentials.add("https://a.example", "pdc_secret")

    assert "pdc_secret" not in repr(credentials.servers())


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("games.example.org", "https://games.example.org"),
        ("https://games.example.org/", "https://games.example.org"),
        ("http://GAMES.example.org:3000", "http://games.example.org:3000"),
        ("localhost:3000", "http://localhost:3000"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("[::1]:3000", "http://[::1]:3000"),
    ],
)
def test_addresses_are_normalized(given: str, address: str) -> None:
    assert address_of(given) == address


@pytest.mark.parametrize("given", BAD_ADDRESSES)
def test_an_invalid_address_is_rejected(given: str) -> None:
    with pytest.raises(ServerUnavailable, match="address"):
        address_of(given)


def test_only_remote_http_addresses_are_unencrypted() -> None:
    assert is_unencrypted("http://games.example.org:3000")
    assert not is_unencrypted("https://games.example.org")
    assert not is_unencrypted("http://localhost:3000")
    assert not is_unencrypted("http://[::1]:3000")
    assert is_unencrypted("http://[fd00::5]:3000")
    assert is_unencrypted("http://localhost.example")


def test_http_is_allowed_for_one_server_until_it_is_removed(credentials: Credentials) -> None:
    credentials.add("http://a.example", "pdc_a")
    credentials.allow_http("http://a.example")
    credentials.add("http://b.example", "pdc_old", allow_http=True)
    credentials.add("http://b.example", "pdc_b")
    credentials.add("http://c.example", "pdc_c")

    addresses = [f"http://{name}.example" for name in "abcd"]
    assert [credentials.allows_http(address) for address in addresses] == [True, True, False, False]
    assert [credentials.token_for(address) for address in addresses] == ["pdc_a", "pdc_b", "pdc_c", None]
    credentials.remove("http://a.example")
    assert not credentials.allows_http("http://a.example")


def test_http_is_not_allowed_for_a_server_without_a_sign_in(credentials: Credentials) -> None:
    credentials.allow_http("http://a.example")

    assert (credentials.servers(), credentials.allows_http("http://a.example")) == ([], False)


def test_credentials_of_earlier_releases_are_read(credentials: Credentials) -> None:
    credentials.file.parent.mkdir()
    credentials.file.write_text('[{"address": "http://a.example", "token": "pdc_a"}]')

    assert (credentials.newest(), credentials.allows_http("http://a.example")) == ("http://a.example", False)


def test_an_unwritable_folder_is_detected_before_the_sign_in(credentials: Credentials) -> None:
    credentials.require_writable()
    assert not list(credentials.file.parent.iterdir())

    credentials.file.parent.rmdir()
    credentials.file.parent.touch()
    with pytest.raises(CredentialsUnwritable, match="PLAYDOCK_CLIENT_HOME"):
        credentials.require_writable()
