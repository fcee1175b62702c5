"""The commands and their arguments. The other modules of this package implement them."""

import sys
from datetime import datetime
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

import playdock.kit.log_config
from playdock import __version__
from playdock.cli import server
from playdock.kit.errors import PlaydockError
from playdock.settings import load

app = App(name="playdock", help="A self-hosted game distribution service.", version=__version__)

_Port = Annotated[int, Parameter(validator=Number(gte=1, lte=65535))]
_Workers = Annotated[int, Parameter(validator=Number(gte=1, lte=64))]


@app.command
def serve(*, host: str = "127.0.0.1", port: _Port = 3000, workers: _Workers = 1) -> None:
    """Upgrade the database if necessary, then serve the API and run background tasks.

    Args:
        host: The address to listen on.
        port: The port to listen on.
        workers: The number of server processes.
    """
    server.serve(load(), host=host, port=port, workers=workers)


@app.command
def worker() -> None:
    """Run only background tasks, in addition to servers with the same database."""
    server.work(load())


@app.command
def invite(
    *, admin: bool = False, username: str | None = None, email: str | None = None, expires: datetime | None = None
) -> None:
    """Create an invitation and print its link, which begins with EXTERNAL_URL (http://localhost:3000 if unset).

    Args:
        admin: Whether the new user becomes an administrator.
        username: The required user name.
        email: The required email address.
        expires: The expiry time in ISO 8601, by default in one week.
    """
    from playdock.cli import people

    print(people.invite(load(), admin=admin, username=username, email=email, expires=expires))  # noqa: T201 - the answer


@app.command
def token(*, user: str, name: str, acl: list[str]) -> None:
    """Create an API token for a user and print its secret, which is shown only once.

    Args:
        user: The user name of its owner.
        name: A name that describes the purpose of the token.
        acl: A permission, such as user:read; can be repeated.
    """
    from playdock.cli import people

    print(people.token(load(), user=user, name=name, acls=acl))  # noqa: T201 - the answer


@app.command
def doctor(*, openid: bool = False) -> None:
    """Check settings, database, libraries, providers, storage, OpenID and clock, and explain how to fix problems.

    Args:
        openid: Test OpenID sign-in interactively instead, while the service is running.
    """
    from playdock.cli import doctor as checks
    from playdock.cli import guided_test

    if not (guided_test.run(load()) if openid else checks.examine(load())):
        sys.exit(1)


@app.command
def openapi() -> None:
    """Print the OpenAPI document."""
    from playdock.web.openapi import document_as_json

    print(document_as_json())  # noqa: T201 - the answer


def run() -> None:
    """Run a command. Print errors as messages without a traceback."""
    playdock.kit.log_config.configure()
    try:
        app()
    except PlaydockError as error:
        print(f"playdock: {error.detail}", file=sys.stderr)  # noqa: T201 - for the user at the terminal
        sys.exit(1)
