"""Pure decisions about OpenID claims, user names and redirects."""

import re
import unicodedata
from collections.abc import Container, Iterator
from datetime import timedelta
from itertools import count
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct

from playdock.features.accounts.rules import normalize
from playdock.features.accounts.schemas import Email
from playdock.features.openid.schemas import CallbackQuery
from playdock.identity.claims import Claims, find_claim
from playdock.identity.errors import SignInRefused
from playdock.settings import Settings

# Enough to sign in at the provider, including a second factor or a new account.
FLOW_LIFETIME = timedelta(minutes=10)
# The page with the button that leads to the identity provider.
SIGN_IN_PAGE = "/auth/signin"
# A stored ID token is later sent to the provider in a URL, and web servers accept URLs of up to 8 KiB.
MAX_KEPT_CHARACTERS = 6000
# The limits of user names and display names in `accounts.schemas`.
_MIN_NAME_LENGTH = 3
_MAX_NAME_LENGTH = 32
_MAX_DISPLAY_NAME_LENGTH = 128
# Longer than any address of the pages; bounds the stored flow.
_MAX_REDIRECT_LENGTH = 2000
_NAMELESS = "player"
# Browsers remove such segments, which could lead to another service of the same host.
_PARENT_SEGMENT = re.compile(r"/(?:\.|%2e){2}(?=[/?#]|$)", re.IGNORECASE)
_VISIBLE_ASCII = "".join(map(chr, range(0x21, 0x7F)))


class Profile(Struct, frozen=True):
    """A user's profile from the claims; fields without a usable claim are empty.

    ``username`` is the preferred user name; ``admin`` is None if no admin group is configured.
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
        display_name=_text(claims.get("name"))[:_MAX_DISPLAY_NAME_LENGTH].strip(),
        email=_email(claims.get("email")),
        admin=group in groups_of(claims, settings) if group else None,
    )


def code_of(query: CallbackQuery) -> str:
    """Return the provider's code.

    Raises:
        SignInRefused: the provider sent none.
    """
    if query.error or not query.code:
        raise SignInRefused("the identity provider did not let you in")
    return query.code


def groups_of(claims: Claims, settings: Settings) -> list[str]:
    """Return the group names in the claims; a string is a single group, whatever its characters."""
    found = find_claim(claims, settings.oidc_groups_claim)
    listed = found if isinstance(found, list) else [found]
    return [group for group in listed if isinstance(group, str)]


def free_username(preferred: str, taken: Container[str]) -> str:
    """Return an unused user name: the preferred one, or its beginning followed by a number.

    ``preferred`` contains only ASCII letters and digits; ``taken`` contains normalized names.
    """
    return next(name for name in _usernames(preferred) if normalize(name) not in taken)


def stem_of(preferred: str) -> str:
    """Return the common normalized prefix of all names that `free_username` may return."""
    return normalize(preferred if len(preferred) >= _MIN_NAME_LENGTH else _NAMELESS)[: _MAX_NAME_LENGTH // 2]


def local_path(address: str) -> str:
    r"""Return a local path to which a browser may be redirected, "/" for any other address.

    Browsers treat ``//host`` and ``/\\host`` as other sites, after removing control characters.
    """
    local = address.startswith("/") and not address.startswith("//") and "\\" not in address and address.isprintable()
    path = quote(address, safe=_VISIBLE_ASCII) if local and not _PARENT_SEGMENT.search(address) else "/"
    return path if len(path) <= _MAX_REDIRECT_LENGTH else "/"


def _usernames(preferred: str) -> Iterator[str]:
    numbers = count(2)
    if len(preferred) < _MIN_NAME_LENGTH:
        preferred, numbers = _NAMELESS, count(1)
    else:
        yield preferred[:_MAX_NAME_LENGTH]
    for number in numbers:
        yield f"{preferred[: _MAX_NAME_LENGTH - len(str(number))]}{number}"


def _text(claim: Any) -> str:
    """Return a text claim without control characters and surrogates; "" for other types."""
    if not isinstance(claim, str):
        return ""
    return "".join(character for character in claim if unicodedata.category(character) not in ("Cc", "Cs"))


def _email(claim: Any) -> str:
    try:
        email: str = msgspec.convert(claim, Email)
    except msgspec.ValidationError:
        return ""
    return email if email == _text(email) else ""
