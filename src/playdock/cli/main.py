"""The commands and what they take. What each does stands in a module of its own."""

import sys
from datetime import datetime
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from playdock import __version__
from playdock.cli import doctor as checks
from playdock.cli import guided_test, people, serving
from playdock.kit import logging
from playdock.kit.errors import PlaydockError
from playdock.settings import load
from playdock.web.openapi import document_as_json

app = App(name="playdock", help="A self-hosted game distribution service.", version=__version__)

_Port = Annotated[int, Parameter(validator=Number(gte=1, lte=65535))]
_Workers = Annotated[int, Parameter(validator=Number(gte=1, lte=64))]


@app.command
def serve(*, host: str = "127.0.0.1", port: _Port = 3000, workers: _Workers = 1) -> None:
    """Bring the database up to date, then serve the API and run background tasks.

    Args:
        host: The address to listen on.
        port: The port to listen on.
        workers: How many server processes share the work.
    """
    serving.serve(load(), host=host, port=port, workers=workers)


@app.command
def worker() -> None:
    """Run background tasks alone, beside servers that share the database."""
    serving.work(load())


@app.command
def invite(
    *, admin: bool = False, username: str | None = None, email: str | None = None, expires: datetime | None = None
) -> None:
    """Create an invitation and print its link, which begins with EXTERNAL_URL (http://localhost:3000 if unset).

    Args:
        admin: Whether the new user becomes an admin.
        username: The user name to enforce.
        email: The e-mail address to enforce.
        expires: When it ends, in ISO 8601; in a week if left out.
    """
    print(people.invite(load(), admin=admin, username=username, email=email, expires=expires))  # noqa: T201 - the answer


@app.command
def token(*, user: str, name: str, acl: list[str]) -> None:
    """Create an API token for a user and print its secret, this once.

    Args:
        user: The user name of its owner.
        name: What the token is for.
        acl: A right, such as user:read; may be given several times.
    """
    print(people.token(load(), user=user, name=name, acls=acl))  # noqa: T201 - the answer


@app.command
def doctor(*, openid: bool = False) -> None:
    """Check settings, database, libraries, providers, storage, OpenID and clock, and say how to mend what is broken.

    Args:
        openid: Test signing in with OpenID instead, step by step, while the service runs.
    """
    if not (guided_test.carry_out(load()) if openid else checks.examine(load())):
        sys.exit(1)


@app.command
def openapi() -> None:
    """Print the OpenAPI document."""
    print(document_as_json())  # noqa: T201 - the answer


def run() -> None:
    """Run a command; what goes wrong is told in a sentence."""
    logging.configure()
    try:
        app()
    except PlaydockError as error:
        print(f"playdock: {error.detail}", file=sys.stderr)  # noqa: T201 - nobody reads logs at a prompt
        sys.exit(1)
