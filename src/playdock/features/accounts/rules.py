"""Pure decisions about accounts."""

from datetime import timedelta

from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message

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


def check_password(password: str, *, field: str = "password") -> None:
    """Check the length in bytes, which the schema cannot express.

    Raises:
        InvalidInput: the password has more than 1,024 bytes in UTF-8.
    """
    if len(password.encode("utf-8", "surrogatepass")) > _MAX_PASSWORD_BYTES:
        raise InvalidInput([FieldError(field, Message("rule-password"))])
