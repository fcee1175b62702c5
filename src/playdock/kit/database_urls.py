"""Checking the URL of a database."""

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError


def error_of_database_url(address: str) -> str:
    """Return what is wrong with a database URL, empty if nothing is. The URL is omitted, as it may have a password."""
    if not address.startswith(("sqlite:///", "postgresql+psycopg://")):
        return "It must begin with postgresql:// or sqlite:///."
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        return "It must have the form postgresql://user:password@host:port/database or sqlite:///path."
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        return "It must contain a path: sqlite:///path, or sqlite:////path for an absolute path."
    return ""
