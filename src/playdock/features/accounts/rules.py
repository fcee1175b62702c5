"""Pure decisions about accounts."""

from datetime import timedelta

from playdock.kit.errors import Fault, InvalidInput

RESET_LIFETIME = timedelta(days=1)
_MOST_PASSWORD_BYTES = 1024


def fold(username: str) -> str:
    """Give what makes a user name unique: user names are ASCII, so lower case is enough."""
    return username.lower()


def display_name(wanted: str | None, *, username: str) -> str:
    """Give the name to show: the user name when none is wanted (decisions 4)."""
    return (wanted or "").strip() or username


def check_password(password: str, *, field: str = "password") -> None:
    """Refuse what the schema cannot count: bytes.

    Raises:
        InvalidInput: the password has more than 1,024 bytes in UTF-8.
    """
    if len(password.encode("utf-8", "surrogatepass")) > _MOST_PASSWORD_BYTES:
        raise InvalidInput([Fault(field, "A password has at least 14 characters and at most 1,024 bytes.")])
