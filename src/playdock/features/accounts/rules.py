"""Pure decisions about accounts."""

from collections.abc import Iterable
from datetime import timedelta
from urllib.parse import urlsplit

from playdock.auth.actor import UserInfo
from playdock.auth.password_strength import is_weak
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message
from playdock.kit.texts import has_words
from playdock.settings import Settings

# Long enough to be passed on and used, short enough that a forgotten link is soon worthless.
RESET_LIFETIME = timedelta(days=1)
# Bounds the time of hashing; far longer than any password that a password manager generates.
_MAX_PASSWORD_BYTES = 1024


def normalize(username: str) -> str:
    """Return the unique form of a user name: user names are ASCII, so lower case is sufficient."""
    return username.lower()


def display_name(chosen: str | None, *, username: str) -> str:
    """Return the display name; it defaults to the user name."""
    return (chosen or "").strip() or username


def words_about(user: UserInfo) -> tuple[str, ...]:
    """Return what others know about a user."""
    return user.username, user.email, user.display_name


def matches(user: UserInfo, typed: str) -> bool:
    """Return whether a user has each typed word in a name or before the @ of the address.

    Words with an @ are looked for in the whole address, whose other part many users share.
    """
    names = f"{user.username} {user.display_name} {user.email.partition('@')[0]}"
    return all(has_words(user.email if "@" in word else names, word) for word in typed.split())


def check_password(password: str, settings: Settings, *, about: Iterable[str], field: str = "password") -> None:
    """Check what the schema cannot express: the length in bytes and, if the settings say so, the strength.

    ``about`` is what others know about the user. They know the name and the address of the service, too.

    Raises:
        InvalidInput: the password has more than 1,024 bytes in UTF-8, or it is weak and that is not allowed.
    """
    if len(password.encode("utf-8", "surrogatepass")) > _MAX_PASSWORD_BYTES:
        raise InvalidInput([FieldError(field, Message("rule-password"))])
    site = ("playdock", urlsplit(settings.address).hostname or "")
    if settings.refuse_weak_passwords and is_weak(password, known=[*about, *site]):
        raise InvalidInput([FieldError(field, Message("weak-password"))])
