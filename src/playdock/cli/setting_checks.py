"""The checks of `doctor` for settings that are valid, but probably not what was meant."""

import os
from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from pathlib import Path

from dotenv import dotenv_values
from sqlalchemy.engine import make_url

from playdock.cli.finding import DoctorFinding
from playdock.fetching.errors import FetchFailed
from playdock.fetching.requests import FetchLimits, FetchResponse, Request, origin_of
from playdock.fetching.web import Fetcher
from playdock.kit.environment import descriptions, suggestion
from playdock.kit.networks import ALL, entries_of, parse_network
from playdock.settings import Settings

_SUFFIX = "_FILE"
_OWN_HOSTS = ("localhost", "127.0.0.1", "::1")
# A call of the API that needs no credential, and what it responds without one.
_CALL, _RESPONSE = "/api/v1/user", b"null"
_SECONDS = 5.0
_MAX_BYTES = 65_536
_UNENCRYPTED = "As DATABASE_URL says, the connection is not encrypted. Others in the network could read it."


def check_settings(
    settings: Settings, web: Fetcher, *, sources: Mapping[str, str], dotenv: Path = Path(".env")
) -> Iterator[DoctorFinding]:
    """Yield findings for the sources of settings, unknown names in ``.env``, proxies, database and external URL."""
    yield from _sources(sources)
    yield from _unknown_names(dotenv)
    if settings.trusted_proxies:
        yield _proxies(settings.trusted_proxies)
    yield from check_database_connection(settings.database, os.environ.get("PGSSLMODE", ""))
    yield _external_url(settings, web)


def _sources(sources: Mapping[str, str]) -> Iterator[DoctorFinding]:
    """Yield a finding for each source with the names of the settings that come from it."""
    names: dict[str, list[str]] = {}
    for name, source in sorted(sources.items()):
        names.setdefault(source, []).append(name)
    for source, found in names.items():
        yield DoctorFinding(f"Settings from {source}: {', '.join(found)}")


def _unknown_names(dotenv: Path) -> Iterator[DoctorFinding]:
    """Yield a finding for each name that is not a setting. The file may have names for other programs, too."""
    known = [name for setting in descriptions(Settings) for name in (setting, f"{setting}{_SUFFIX}")]
    for name in dotenv_values(dotenv):
        if name in known:
            continue
        subject = f"Setting {name} in {dotenv}"
        if question := suggestion(name.upper(), known):
            yield DoctorFinding(subject, "There is no such setting.", question)
        else:
            yield DoctorFinding(f"{subject}: not a setting of Playdock, ignored")


def _proxies(addresses: str) -> DoctorFinding:
    problems = [problem for entry in entries_of(addresses) if (problem := _problem(entry))]
    return DoctorFinding(f"Trusted proxies {addresses}", " ".join(problems))


def check_database_connection(database: str, default_mode: str) -> Iterator[DoctorFinding]:
    """Yield a finding if the database is on another machine: its certificate must be verified."""
    url = make_url(database)
    # libpq uses a list, and a socket of this machine if there is no host or a path.
    hosts = [host for value in (url.host, url.query.get("host")) if isinstance(value, str) for host in value.split(",")]
    remote = [host for host in hosts if not (host.startswith(("/", "@")) or host in _OWN_HOSTS)]
    if url.get_backend_name() != "postgresql" or not remote:
        return
    subject = f"Settings: the database is on {', '.join(remote)}"
    mode = url.query.get("sslmode") or default_mode
    if mode in ("verify-full", "disable"):
        yield DoctorFinding(subject, hint=_UNENCRYPTED if mode == "disable" else "")
        return
    fault = "The connection is not protected against others in the network: the server's certificate is not verified."
    advice = (
        "Add ?sslmode=verify-full to DATABASE_URL, and sslrootcert=… if the certificate is your own; see security.md."
    )
    yield DoctorFinding(subject, fault, advice)


def _problem(address: str) -> str:
    """Return what is wrong with the address of a proxy, empty if it can be compared with those of connections."""
    if address == ALL or parse_network(address):
        return ""
    return f"{_described(address)} in TRUSTED_PROXIES has no effect. {_correction(address)}"


def _described(address: str) -> str:
    return f"“{address}”" if address else "An empty entry"


def _correction(address: str) -> str:
    try:
        return f"Did you mean {ip_network(address, strict=False)}?"
    except ValueError:
        return (
            "Set the proxy's IP address, such as 127.0.0.1, or a network, such as 10.0.0.0/8; names are not resolved."
        )


def _external_url(settings: Settings, web: Fetcher) -> DoctorFinding:
    """Check that the external URL leads to a Playdock, if it is set and there is a server."""
    subject = f"Settings: the external URL is {settings.address}"
    if not settings.external_url:
        return DoctorFinding(subject)
    try:
        response = _ask(settings.address, web)
    except FetchFailed as failure:
        return DoctorFinding(f"{subject}, where no server responds now ({failure})")
    if target := response.headers.get("location"):
        is_same = origin_of(target) in ("", settings.origin)
        fault = f"The server there redirects to {target if is_same else origin_of(target)}."
        return DoctorFinding(subject, fault, "Set EXTERNAL_URL to the address that users see in their browsers.")
    if (response.status, response.body.strip()) != (200, _RESPONSE):
        fault = f"Another program responds there (status {response.status})."
        return DoctorFinding(
            subject, fault, "Correct EXTERNAL_URL, or let the web server there pass requests on with unchanged paths."
        )
    return DoctorFinding(subject)


def _ask(address: str, web: Fetcher) -> FetchResponse:
    limits = FetchLimits(frozenset([origin_of(address)]), seconds=_SECONDS, max_bytes=_MAX_BYTES, follow=False)
    return web.fetch(Request(f"{address}{_CALL}"), limits)
