"""The guided test of OpenID: print the provider's configuration, and the claims of one test sign-in."""

import json
import time
from collections.abc import Iterator
from contextlib import closing

from rich.console import Console
from rich.markup import escape

from playdock.cli import doctor
from playdock.cli.finding import report
from playdock.cli.opening import open_settings
from playdock.configuration import Configuration
from playdock.features.openid.errors import GuidedTestUnknown, OpenIdDisabled
from playdock.features.openid.rules import groups_of
from playdock.identity.claims import Claims
from playdock.models import OpenIdTest
from playdock.settings import Settings
from playdock.web.services import Services
from playdock.web.wiring import wire

# Quick enough for a person who waits for the result.
_POLL_SECONDS = 0.5


def run(configuration: Configuration, *, console: Console | None = None) -> bool:
    """Guide a user through a test sign-in without creating a session, print the result, and return whether it worked.

    The running service handles the browser's requests. This waits for the result until the link expires.

    Raises:
        OpenIdDisabled: OpenID is not configured.
        DatabaseUnusable: the database cannot be used.
    """
    opened = open_settings(configuration)
    with closing(wire(opened.settings, server_settings=opened)) as services:
        if not services.settings.openid:
            raise OpenIdDisabled
        console = console or Console()
        return report(doctor.openid(services), console) and _wait(services, console)


def _wait(services: Services, console: Console) -> bool:
    secret = services.openid.new_test()
    _print(
        console,
        "",
        "Open this link in a browser within ten minutes and sign in. The service must be running. It works once:",
        services.settings.page(f"/auth/oidc?test={secret}"),
        "",
    )
    try:
        outcome = _outcome(services, secret)
    except GuidedTestUnknown:
        _print(console, "The link has expired: there was no sign-in within ten minutes. Start the test again.")
        return False
    except KeyboardInterrupt:
        return False
    if outcome.claims is None:
        _print(console, f"The sign-in failed. {outcome.refusal}")
        return False
    _print(console, *_report(services, json.loads(outcome.claims)))
    return True


def _outcome(services: Services, secret: str) -> OpenIdTest:
    while True:
        outcome = services.openid.outcome_of(secret)
        if outcome.claims is not None or outcome.refusal is not None:
            return outcome
        time.sleep(_POLL_SECONDS)


def _report(services: Services, claims: Claims) -> Iterator[str]:
    yield "Claims from the provider:"
    for name, value in sorted(claims.items()):
        yield f"  {name}: {json.dumps(value, ensure_ascii=False)}"
    foreseen = services.openid.foresee(claims)
    yield "Result of a real sign-in:"
    if foreseen.account is None:
        yield f"  account: a new one with the user name {foreseen.username}"
        yield f"  display name: {foreseen.profile.display_name or foreseen.username}"
        yield f"  email: {foreseen.profile.email or 'none'}"
    else:
        yield f"  account: {foreseen.account.username}{'' if foreseen.account.enabled else ', which is disabled'}"
    yield f"  admin: {_admin(services.settings, claims)}"
    yield "This was a test: no session was created and nothing was changed."


def _admin(settings: Settings, claims: Claims) -> str:
    group, claim = settings.oidc_admin_group, settings.oidc_groups_claim
    if not group:
        return "unchanged, because OIDC_ADMIN_GROUP is not set"
    groups = groups_of(claims, settings)
    if group in groups:
        return f"yes, because {claim} contains {group}"
    return f"no, because {claim} does not contain {group} but {', '.join(groups) or 'nothing'}"


def _print(console: Console, *lines: str) -> None:
    """Print lines without characters that are not printable, such as terminal control sequences."""
    for line in lines:
        console.print(escape("".join(filter(str.isprintable, line))), soft_wrap=True, highlight=False)
