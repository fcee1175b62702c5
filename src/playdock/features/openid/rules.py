"""Pure decisions about who comes by OpenID (decisions 3)."""

import re
import unicodedata
from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any
from urllib.parse import quote

import msgspec

from playdock.features.accounts.rules import fold
from playdock.features.accounts.schemas import Email
from playdock.features.openid.schemas import CallbackQuery
from playdock.identity.claims import Claims, find_claim
from playdock.identity.errors import SignInRefused
from playdock.settings import Settings

FLOW_LIFETIME = timedelta(minutes=10)
# An ID token that is kept goes back to the provider in an address, which web servers take up to 8 KiB of.
MOST_KEPT_CHARACTERS = 6000
_LEAST_NAME = 3
_MOST_NAME = 32
_MOST_DISPLAY_NAME = 128
_MOST_REDIRECT = 2000
_NAMELESS = "player"
_VISIBLE_ASCII = "".join(map(chr, range(0x21, 0x7F)))


@dataclass(frozen=True, slots=True)
class Profile:
    """What the claims say about a person, in the service's words; empty where they say nothing that can be used.

    ``username`` is what a user name is made from; ``admin`` is None where the provider does not decide about it.
    """

    username: str
    display_name: str
    email: str
    admin: bool | None


def profile_of(claims: Claims, settings: Settings) -> Profile:
    username = find_claim(claims, settings.oidc_username_claim)
    group = settings.oidc_admin_group
    return Profile(
        username=re.sub("[^A-Za-z0-9]", "", _text(username)),
        display_name=_text(claims.get("name"))[:_MOST_DISPLAY_NAME].strip(),
        email=_email(claims.get("email")),
        admin=group in groups_of(claims, settings) if group else None,
    )


def code_of(said: CallbackQuery) -> str:
    """Give the code that the provider sent.

    Raises:
        SignInRefused: it sent none.
    """
    if said.error or not said.code:
        raise SignInRefused("the identity provider did not let you in")
    return said.code


def groups_of(claims: Claims, settings: Settings) -> list[str]:
    """Give the names of groups in the claims: one text is one group, whatever is in it."""
    found = find_claim(claims, settings.oidc_groups_claim)
    listed = found if isinstance(found, list) else [found]
    return [group for group in listed if isinstance(group, str)]


def free_username(wanted: str, taken: Container[str]) -> str:
    """Give a user name that is not taken: the wanted one, or as much of it as leaves room for a number.

    ``wanted`` has ASCII letters and digits alone; ``taken`` holds folded names.
    """
    return next(name for name in _usernames(wanted) if fold(name) not in taken)


def stem_of(wanted: str) -> str:
    """Give what all the user names begin with, folded, that `free_username` chooses from."""
    return fold(wanted if len(wanted) >= _LEAST_NAME else _NAMELESS)[: _MOST_NAME // 2]


def local_path(wanted: str) -> str:
    r"""Give an address below the service's own that a browser may be led to, the first page for all others.

    Browsers read ``//host`` and ``/\\host`` as other sites, and leave out control characters before they look.
    """
    local = wanted.startswith("/") and not wanted.startswith("//") and "\\" not in wanted and wanted.isprintable()
    path = quote(wanted, safe=_VISIBLE_ASCII) if local else "/"
    return path if len(path) <= _MOST_REDIRECT else "/"


def _usernames(wanted: str) -> Iterator[str]:
    numbers = count(2)
    if len(wanted) < _LEAST_NAME:
        wanted, numbers = _NAMELESS, count(1)
    else:
        yield wanted[:_MOST_NAME]
    for number in numbers:
        yield f"{wanted[: _MOST_NAME - len(str(number))]}{number}"


def _text(claim: Any) -> str:
    """Give a claim that is text, without the characters that no line of text has."""
    if not isinstance(claim, str):
        return ""
    return "".join(character for character in claim if unicodedata.category(character) not in ("Cc", "Cs"))


def _email(claim: Any) -> str:
    try:
        email: str = msgspec.convert(claim, Email)
    except msgspec.ValidationError:
        return ""
    return email if email == _text(email) else ""
