"""The guided test of OpenID: what the provider tells about itself, and after one sign-in, about a person."""

import json
import time
from collections.abc import Iterator
from contextlib import closing

from rich.console import Console
from rich.markup import escape

from playdock.cli import doctor
from playdock.cli.opening import bring_up_to_date
from playdock.features.openid.errors import GuidedTestUnknown, OpenIdOff
from playdock.features.openid.rules import groups_of
from playdock.identity.claims import Claims
from playdock.models import OpenIdTest
from playdock.settings import Settings
from playdock.web.services import Services, wire

_SECONDS_BETWEEN_LOOKS = 0.5


def carry_out(settings: Settings, *, console: Console | None = None) -> bool:
    """Lead somebody through one sign-in that signs nobody in, print what came of it, and tell whether all is well.

    The service answers the browser; this waits for it, at most as long as the link is good.

    Raises:
        OpenIdOff: there is nothing to test.
        DatabaseUnusable: the database cannot be used.
    """
    if not settings.openid:
        raise OpenIdOff
    console = console or Console()
    services = wire(settings)
    with closing(services.web), closing(services.db):
        bring_up_to_date(services)
        return doctor.tell(doctor.openid(services), console) and _wait(services, console)


def _wait(services: Services, console: Console) -> bool:
    secret = services.openid.new_test()
    _say(
        console,
        "",
        "Open this link within ten minutes, in any browser, and sign in. The service must be running. It works once:",
        services.settings.page(f"/auth/oidc?test={secret}"),
        "",
    )
    try:
        outcome = _outcome(services, secret)
    except GuidedTestUnknown:
        _say(console, "Nobody signed in within ten minutes.")
        return False
    except KeyboardInterrupt:
        return False
    if outcome.claims is None:
        _say(console, f"The sign-in failed. {outcome.refusal}")
        return False
    _say(console, *_report(services, json.loads(outcome.claims)))
    return True


def _outcome(services: Services, secret: str) -> OpenIdTest:
    while True:
        outcome = services.openid.outcome_of(secret)
        if outcome.claims is not None or outcome.refusal is not None:
            return outcome
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def _report(services: Services, claims: Claims) -> Iterator[str]:
    yield "The provider told:"
    for name, value in sorted(claims.items()):
        yield f"  {name}: {json.dumps(value, ensure_ascii=False)}"
    foreseen = services.openid.foresee(claims)
    yield "At a sign-in that would be:"
    if foreseen.account is None:
        yield f"  account: a new one with the user name {foreseen.username}"
        yield f"  display name: {foreseen.profile.display_name or foreseen.username}"
        yield f"  e-mail: {foreseen.profile.email or 'none'}"
    else:
        yield f"  account: {foreseen.account.username}{'' if foreseen.account.enabled else ', which is disabled'}"
    yield f"  admin: {_admin(services.settings, claims)}"
    yield "Nobody was signed in, and nothing was changed."


def _admin(settings: Settings, claims: Claims) -> str:
    group, claim = settings.oidc_admin_group, settings.oidc_groups_claim
    if not group:
        return "as it is, since OIDC_ADMIN_GROUP is not set"
    groups = groups_of(claims, settings)
    if group in groups:
        return f"yes, since {claim} has {group}"
    return f"no, since {claim} has not {group} but {', '.join(groups) or 'nothing'}"


def _say(console: Console, *lines: str) -> None:
    """Print lines; what does not belong into a line, such as what steers a terminal, is left out."""
    for line in lines:
        console.print(escape("".join(filter(str.isprintable, line))), soft_wrap=True, highlight=False)
