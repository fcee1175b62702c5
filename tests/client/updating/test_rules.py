"""Pure rules of updates: which version starts, which offer is wanted, and which is trusted."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from playdock_client.updating import ed25519
from playdock_client.updating.offers import (
    ClientOffer,
    UnsignedUpdate,
    is_newer,
    newest_offer,
    require_trust,
    statement,
)
from playdock_client.updating.stub import is_app
from playdock_client.updating.version_state import (
    BASE,
    MAX_STARTS,
    VersionState,
    confirm,
    decode,
    encode,
    forgive_starts,
    select,
    switch,
)

_NEW = "1.1.0-abc"
_TRIAL = switch(VersionState(), _NEW)


def test_a_new_version_is_used_by_the_app_first_and_by_all_once_it_has_worked() -> None:
    assert select(_TRIAL, is_app=False) == (BASE, _TRIAL)
    folder, counted = select(_TRIAL, is_app=True)
    assert (folder, counted.starts) == (_NEW, 1)
    worked = confirm(counted, "1.1.0")
    assert select(worked, is_app=False) == select(worked, is_app=True) == (_NEW, worked)
    assert confirm(counted, "1.0.0") == counted


def test_a_version_that_never_works_is_replaced_by_the_previous_one() -> None:
    state = switch(VersionState("1.0.0-abc"), _NEW)
    for _ in range(MAX_STARTS):
        folder, state = select(state, is_app=True)
        assert folder == _NEW
    assert select(state, is_app=True) == ("1.0.0-abc", VersionState("1.0.0-abc", BASE, None, ("1.1.0",)))


def test_a_start_that_shows_a_running_app_does_not_count() -> None:
    _, state = select(_TRIAL, is_app=True)
    assert forgive_starts(state) == _TRIAL
    assert forgive_starts(VersionState(_NEW)) == VersionState(_NEW)


def test_the_version_to_return_to_has_worked() -> None:
    newer = switch(_TRIAL, "1.2.0-abc")
    assert (newer.current, newer.previous) == ("1.2.0-abc", BASE)
    assert switch(confirm(_TRIAL, "1.1.0"), "1.2.0-abc").previous == _NEW


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[" * 100_000,
        '{"current": "../../bin-x", "previous": "", "starts": null, "failed": []}',
        '{"current": "", "previous": "", "starts": true, "failed": []}',
        '{"current": "", "previous": "", "starts": null, "failed": [1]}',
        '{"current": "1.0.0-a"}',
    ],
)
def test_a_damaged_state_selects_the_base(text: str) -> None:
    assert decode(text) == VersionState()


def test_a_state_is_read_as_it_was_written() -> None:
    for state in (_TRIAL, VersionState("1.1.0-a_b", "1.0.0-abc", None, ("1.0.1", "1.0.2"))):
        assert decode(encode(state)) == state
    added = encode(_TRIAL).replace("{", '{"of a later release": 1,', 1)
    assert decode(added) == _TRIAL


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["app"], True),
        (["--json", "app", "--no-window"], True),
        (["open-url", "playdock://x"], True),
        (["launch", "app"], False),
        (["--version"], False),
        ([], False),
    ],
)
def test_starts_of_the_app_count(words: list[str], expected: bool) -> None:  # noqa: FBT001 - a parameter
    assert is_app(words) is expected


def _offer(version: str, system: str = "Linux", **changes: object) -> ClientOffer:
    fields = {"name": f"playdock-update-{version}-{system.lower()}-x86_64.tar.xz", "size": 1, "sha256": "0" * 64}
    return ClientOffer(system=system, version=version, **{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("offers", "above", "expected"),
    [
        ([_offer("1.1.0"), _offer("1.10.0"), _offer("1.9.0")], ["1.0.0"], "1.10.0"),
        ([_offer("1.0.0"), _offer("0.9.9")], ["1.0.0"], None),
        ([_offer("1.1.0")], ["1.0.0", "1.1.0"], None),
        ([_offer("1.1.0")], ["1.0.0", "1.2.0"], None),
        ([_offer("1.1.0"), _offer("1.1.1")], ["1.0.0", "1.1.0"], "1.1.1"),
        ([_offer("1.1.0", "Windows")], ["1.0.0"], None),
        ([_offer("1.1.0rc1")], ["1.1.0"], None),
        ([_offer("1.1.0")], ["1.1.0rc1"], "1.1.0"),
        ([_offer("nonsense"), _offer("1.1.0-x"), _offer("1.1")], ["1.0.0"], None),
        ([_offer("2.0.0", name="playdock-update-1.0.0-linux-x86_64.tar.xz")], ["1.0.0"], None),
        ([_offer("2.0.0", size=10**12)], ["1.0.0"], None),
    ],
)
def test_only_newer_releases_are_installed(offers: list[ClientOffer], above: list[str], expected: str | None) -> None:
    found = newest_offer(offers, system="Linux", above=above)
    assert (found and found.version) == expected


def test_a_text_that_is_no_version_is_not_newer() -> None:
    assert not is_newer("x", "1.0.0")
    assert is_newer("1.0.0", "")


_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
_PUBLIC = _KEY.public_key().public_bytes_raw()


def _signed(offer: ClientOffer, key: Ed25519PrivateKey = _KEY) -> str:
    return base64.b64encode(key.sign(statement(offer.name, offer.sha256))).decode()


@pytest.mark.parametrize(
    ("server", "offer", "trusted"),
    [
        ("https://games.example.org", _offer("1.1.0"), True),
        ("http://localhost:3000", _offer("1.1.0"), True),
        ("http://127.0.0.1:3000", _offer("1.1.0"), True),
        ("http://nas:3000", _offer("1.1.0"), False),
        ("http://localhost.example.org", _offer("1.1.0"), False),
        ("http://games.example.org", _offer("1.1.0", signature=_signed(_offer("1.1.0"))), True),
        ("http://games.example.org", _offer("1.2.0", signature=_signed(_offer("1.1.0"))), False),
        ("http://games.example.org", _offer("1.1.0", sha256="1" * 64, signature=_signed(_offer("1.1.0"))), False),
        ("http://games.example.org", _offer("1.1.0", "Windows", signature=_signed(_offer("1.1.0"))), False),
        ("http://games.example.org", _offer("1.1.0", signature="no base64"), False),
        (
            "http://games.example.org",
            _offer("1.1.0", signature=_signed(_offer("1.1.0"), Ed25519PrivateKey.from_private_bytes(bytes(32)))),
            False,
        ),
    ],
)
def test_unencrypted_connections_need_a_signature_of_this_file(
    server: str,
    offer: ClientOffer,
    trusted: bool,  # noqa: FBT001 - a parameter
) -> None:
    if trusted:
        require_trust(offer, server, keys=[_PUBLIC])
    else:
        with pytest.raises(UnsignedUpdate, match=r"1\.[12]\.0"):
            require_trust(offer, server, keys=[_PUBLIC])
    if server.startswith("http://games"):
        with pytest.raises(UnsignedUpdate):
            require_trust(offer, server, keys=[])


# RFC 8032, section 7.1, tests 1 to 3: public key, message, signature.
_VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
            "d25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
            "387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
            "4a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
]


@pytest.mark.parametrize(("key", "message", "signature"), _VECTORS)
def test_signatures_of_the_standard_are_valid(key: str, message: str, signature: str) -> None:
    assert ed25519.verify(bytes.fromhex(key), bytes.fromhex(message), bytes.fromhex(signature))


@settings(max_examples=20)
@given(secret=st.binary(min_size=32, max_size=32), message=st.binary(max_size=100), bit=st.integers(0, 511))
def test_signatures_are_valid_as_another_implementation_makes_them(secret: bytes, message: bytes, bit: int) -> None:
    key = Ed25519PrivateKey.from_private_bytes(secret)
    public, signature = key.public_key().public_bytes_raw(), key.sign(message)
    assert ed25519.verify(public, message, signature)
    changed = (int.from_bytes(signature, "little") ^ 1 << bit).to_bytes(64, "little")
    assert not ed25519.verify(public, message, changed)
    assert not ed25519.verify(public, message + b"x", signature)


def test_malleable_and_malformed_signatures_are_invalid() -> None:
    signature = _KEY.sign(b"message")
    scalar = int.from_bytes(signature[32:], "little") + 2**252 + 27742317777372353535851937790883648493
    assert not ed25519.verify(_PUBLIC, b"message", signature[:32] + scalar.to_bytes(32, "little"))
    for wrong in (b"", signature[:-1], signature + b"x", b"\xff" * 64):
        assert not ed25519.verify(_PUBLIC, b"message", wrong)
    # Not reduced, not on the curve, and a zero x with a sign.
    for key in (b"\xff" * 32, (2).to_bytes(32, "little"), (1 | 1 << 255).to_bytes(32, "little"), b""):
        assert not ed25519.verify(key, b"message", signature)
