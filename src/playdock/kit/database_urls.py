"""Reading and checking the URL of a database."""

from urllib.parse import quote

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

_SCHEMES = ("postgres", "postgresql", "postgresql+psycopg")


def with_driver(address: str) -> str:
    """Return the URL for SQLAlchemy: with the driver, and with several hosts as parameters.

    libpq's usual form is ``postgresql://user:password@first:5432,second:5432/database``; SQLAlchemy knows only one host
    in that place. Unless the URL says which servers are wanted, it is the one that can be written.
    """
    scheme, _, rest = address.partition("://")
    if scheme not in _SCHEMES:
        return address
    place, question, query = rest.partition("?")
    authority, slash, database = place.partition("/")
    user, at, hosts = authority.rpartition("@")
    if "," in hosts:
        names, ports = zip(*(_host_and_port(host) for host in hosts.split(",")), strict=True)
        wanted = [f"host={quote(','.join(names))}", f"port={','.join(ports)}"]
        if "target_session_attrs" not in query:
            wanted.append("target_session_attrs=read-write")
        authority, question, query = f"{user}{at}", "?", "&".join([*wanted, *filter(None, [query])])
        slash = "/"
    return f"postgresql+psycopg://{authority}{slash}{database}{question}{query}"


def _host_and_port(host: str) -> tuple[str, str]:
    """Return the parts of ``host``, ``host:port`` or ``[IPv6]:port``; without a port it is PostgreSQL's own."""
    name, _, port = host.rpartition(":") if not host.endswith("]") and ":" in host else (host, "", "5432")
    return name.strip("[]"), port or "5432"


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
