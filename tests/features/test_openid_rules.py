"""Who comes by OpenID: user names, what claims become, and where browsers are led."""

from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as some

from playdock.features.accounts.rules import normalize
from playdock.features.openid.rules import free_username, groups_of, local_path, profile_of, stem_of
from playdock.settings import Settings

_KEEPERS = Settings(oidc_admin_group="keepers")
_CHARACTERS = some.text(alphabet="aB3", max_size=40)


def _username(claim: Any) -> str:
    return profile_of({"preferred_username": claim}, Settings()).username


@pytest.mark.parametrize(
    ("claim", "kept"),
    [
        ("ada", "ada"),
        ("Ada.Lovelace-1815", "AdaLovelace1815"),
        ("ada@example.org", "adaexampleorg"),
        ("Ädä", "d"),
        ("a\0d\u202ea", "ada"),
        ("\ud800", ""),
        (1815, ""),
        (["ada"], ""),
        (None, ""),
    ],
)
def test_user_names_keep_only_the_allowed_characters_of_the_claim(claim: Any, kept: str) -> None:
    assert _username(claim) == kept


@pytest.mark.parametrize(
    ("wanted", "taken", "name"),
    [
        ("Ada", set(), "Ada"),
        ("Ada", {"ada"}, "Ada2"),
        ("Ada", {"ada", "ada2", "ada4"}, "Ada3"),
        ("x" * 40, set(), "x" * 32),
        ("x" * 40, {"x" * 32}, "x" * 31 + "2"),
        ("x" * 32, {"x" * 32, *(f"{'x' * 31}{number}" for number in range(2, 10))}, "x" * 30 + "10"),
        ("ab", set(), "player1"),
        ("", {"player1", "player2"}, "player3"),
    ],
)
def test_a_number_is_appended_to_a_taken_user_name(wanted: str, taken: set[str], name: str) -> None:
    assert free_username(wanted, taken) == name


@given(_CHARACTERS, some.sets(_CHARACTERS.map(str.lower), max_size=20), some.integers(0, 30))
def test_a_free_user_name_is_valid_unused_and_starts_with_its_stem(wanted: str, others: set[str], rivals: int) -> None:
    taken = set(others)
    for _ in range(rivals):
        taken.add(normalize(free_username(wanted, taken)))
    name = free_username(wanted, taken)
    assert 3 <= len(name) <= 32
    assert name.isascii()
    assert name.isalnum()
    assert normalize(name) not in taken
    assert normalize(name).startswith(stem_of(wanted))


@pytest.mark.parametrize(
    ("claim", "shown"),
    [
        ("Ada Lovelace", "Ada Lovelace"),
        ("  A\nd\x1b[31ma ", "Ad[31ma"),
        ("x" * 200, "x" * 128),
        (7, ""),
        ("\udfff", ""),
    ],
)
def test_display_names_are_limited_to_one_line(claim: Any, shown: str) -> None:
    assert profile_of({"name": claim}, Settings()).display_name == shown


@pytest.mark.parametrize(
    ("claim", "email"),
    [
        ("ada@example.org", "ada@example.org"),
        ("ada@localhost", ""),
        ("ada", ""),
        ("a\x1bda@example.org", ""),
        ("a\ud800da@example.org", ""),
        (f"{'x' * 250}@example.org", ""),
        (["ada@example.org"], ""),
        (None, ""),
    ],
)
def test_an_invalid_email_address_is_dropped(claim: Any, email: str) -> None:
    assert profile_of({"email": claim}, Settings()).email == email


@pytest.mark.parametrize(
    ("claims", "admin"),
    [
        ({"groups": ["players", "keepers"]}, True),
        ({"groups": "keepers"}, True),
        ({"groups": ["players"]}, False),
        ({"groups": "players keepers"}, False),
        ({"groups": ["Keepers", " keepers", 7, None, ["keepers"]]}, False),
        ({"groups": {"keepers": True}}, False),
        ({}, False),
    ],
)
def test_members_of_the_admin_group_are_admins(claims: dict[str, Any], *, admin: bool) -> None:
    assert profile_of(claims, _KEEPERS).admin is admin
    assert profile_of(claims, Settings()).admin is None


@pytest.mark.parametrize(
    ("path", "claims"),
    [
        ("groups", {"groups": ["keepers"]}),
        ("realm_access.roles", {"realm_access": {"roles": ["keepers"]}}),
        ("https://example.org/groups", {"https://example.org/groups": ["keepers"]}),
        ("a.b", {"a.b": ["keepers"], "a": {"b": ["others"]}}),
    ],
)
def test_groups_may_be_nested_in_the_claims(path: str, claims: dict[str, Any]) -> None:
    assert groups_of(claims, Settings(oidc_groups_claim=path)) == ["keepers"]


@pytest.mark.parametrize("claims", [{}, {"a": None}, {"a": "b"}, {"a": ["b"]}, {"a": {"b": None}}])
def test_a_path_missing_in_the_claims_yields_no_groups(claims: dict[str, Any]) -> None:
    assert groups_of(claims, Settings(oidc_groups_claim="a.b")) == []


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ("/", "/"),
        ("/store?q=a b&n=1#top", "/store?q=a%20b&n=1#top"),
        ("/games/élan", "/games/%C3%A9lan"),
        ("/a%2Fb", "/a%2Fb"),
        ("", "/"),
        ("store", "/"),
        ("https://evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("\\\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("/store\r\nSet-Cookie: a=b", "/"),
        ("/\ud800", "/"),
        ("/" + "x" * 3000, "/"),
        ("/../admin", "/"),
        ("/store/%2e%2E?q=1", "/"),
        ("/..", "/"),
        ("/store/..a?q=a/b..", "/store/..a?q=a/b.."),
    ],
)
def test_redirects_go_to_local_paths_only(wanted: str, path: str) -> None:
    assert local_path(wanted) == path


@given(some.text(alphabet=some.one_of(some.sampled_from("/\\.:@?#%\t\r\n evil"), some.characters())))
def test_no_redirect_leaves_the_server(wanted: str) -> None:
    path = local_path(wanted)
    target_of = urlsplit(urljoin("https://games.example.org/auth/callback/oidc", path))
    assert (target_of.scheme, target_of.netloc) == ("https", "games.example.org")
    assert all("!" <= character <= "~" for character in path)
