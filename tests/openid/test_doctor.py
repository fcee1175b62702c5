"""``playdock doctor`` checks the provider, and ``playdock doctor --openid`` guides through a test sign-in."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from world import World

from .hostile import HostileProvider
from .hostile_responses import TOKENS
from .real import CLIENT_SECRET, RealProvider
from .refusals import assert_no_account, assert_refused, secrets_in
from .visitor import Visitor, openid_settings

PROGRAM = Path(sys.executable).parent / "playdock"
ADA = {"preferred_username": "Ada.Lovelace", "name": "Ada L", "email": "ada@example.org", "groups": ["keepers"]}
_TIMEOUT_SECONDS = 120.0


@dataclass
class DoctorRun:
    """A run of the doctor: its output so far and, at the end, its status."""

    process: subprocess.Popen[str]
    printed: str = ""
    status: int = field(default=-1)

    def link(self) -> str:
        """Read the output up to the link to open."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.printed += line
            if "/auth/oidc?test=" in line:
                return line.strip()
        raise AssertionError(f"No link was printed: {self.printed}")

    def end(self) -> None:
        out, err = self.process.communicate(timeout=_TIMEOUT_SECONDS)
        self.printed += out + err
        self.status = self.process.returncode


@contextmanager
def _running_doctor(world: World, discovery: str, *options: str, **changes: Any) -> Iterator[DoctorRun]:
    """Run the doctor with the settings of a running service."""
    settings: Mapping[str, Any] = {
        "external_url": world.address,
        "data_dir": world.folder / "data",
        "database_url": world.services.settings.database_url,
        **openid_settings(discovery, **changes),
    }
    process = subprocess.Popen(
        [PROGRAM, "doctor", *options],
        env={name.upper(): str(value) for name, value in settings.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield DoctorRun(process)
    finally:
        process.kill()
        process.communicate()


def _test_sign_in(world: World, discovery: str, visitor: Visitor, login: str = "") -> DoctorRun:
    """Complete the guided test."""
    with _running_doctor(world, discovery, "--openid") as doctor:
        visitor.browser.open(doctor.link())
        visitor.authenticate(login)
        visitor.browser.follow()
        doctor.end()
    return doctor


def test_the_discovered_configuration_is_printed(service: World, provider: RealProvider) -> None:
    with _running_doctor(service, provider.discovery) as doctor:
        doctor.end()
    output = (provider.issuer, f"{provider.issuer}/token", "RS256", f"{service.address}/auth/callback/oidc")
    assert all(each in doctor.printed for each in output), doctor.printed
    assert CLIENT_SECRET not in doctor.printed


def test_an_unavailable_provider_is_reported(service: World) -> None:
    with _running_doctor(service, "http://localhost:9/.well-known/openid-configuration") as doctor:
        doctor.end()
    assert doctor.status == 1
    assert "failed OpenID provider" in doctor.printed


@pytest.mark.parametrize("options", [[], ["--openid"]])
def test_a_missing_secret_is_reported(service: World, provider: RealProvider, options: list[str]) -> None:
    with _running_doctor(service, provider.discovery, *options, oidc_client_secret="") as doctor:
        doctor.end()
    assert doctor.status == 1
    assert "OIDC_CLIENT_SECRET" in doctor.printed


def test_a_guided_test_shows_the_account_of_a_new_user(
    service: World, provider: RealProvider, visitor: Visitor
) -> None:
    provider.know(ada=ADA)
    doctor = _test_sign_in(service, provider.discovery, visitor, "ada")
    output = ('preferred_username: "Ada.Lovelace"', "AdaLovelace", "Ada L", "ada@example.org", "admin: yes", "keepers")
    assert doctor.status == 0
    assert all(each in doctor.printed for each in output), doctor.printed


def test_a_guided_test_opens_no_session(service: World, provider: RealProvider, visitor: Visitor) -> None:
    provider.know(ada=ADA)
    _test_sign_in(service, provider.discovery, visitor, "ada")
    assert visitor.browser.response.status_code == 200
    assert_no_account(visitor, service)


def test_a_guided_test_finds_an_existing_account(
    service: World, provider: RealProvider, visitor: Visitor, other_visitor: Visitor
) -> None:
    provider.know(ada=ADA)
    user = other_visitor.sign_in("ada")
    provider.know(ada={"preferred_username": "countess"})
    doctor = _test_sign_in(service, provider.discovery, visitor, "ada")
    assert f"account: {user['username']}" in doctor.printed
    assert "admin: no" in doctor.printed


def test_a_guided_test_shows_why_a_sign_in_fails(trusting: World, hostile: HostileProvider, victim: Visitor) -> None:
    hostile.configure(**TOKENS["expired"])
    doctor = _test_sign_in(trusting, hostile.discovery_url, victim)
    assert_refused(victim)
    assert doctor.status == 1
    assert "expired" in doctor.printed


def test_a_guided_test_prints_no_secret(trusting: World, hostile: HostileProvider, victim: Visitor) -> None:
    hostile.claims["name"] = "\x1b[2J[red]Ada[/red]"
    doctor = _test_sign_in(trusting, hostile.discovery_url, victim)
    assert secrets_in(doctor.printed, hostile) == []
    assert "\x1b" not in doctor.printed
    assert "[red]Ada[/red]" in doctor.printed


def test_the_link_of_a_guided_test_works_once(
    service: World, provider: RealProvider, visitor: Visitor, other_visitor: Visitor
) -> None:
    provider.know(ada=ADA)
    with _running_doctor(service, provider.discovery, "--openid") as doctor:
        link = doctor.link()
        visitor.browser.open(link)
        other_visitor.browser.open(link)
        assert_refused(other_visitor)


def test_the_callback_of_a_guided_test_works_only_in_its_browser(
    service: World, provider: RealProvider, visitor: Visitor, other_visitor: Visitor
) -> None:
    provider.know(ada=ADA)
    with _running_doctor(service, provider.discovery, "--openid") as doctor:
        visitor.browser.open(doctor.link())
        other_visitor.browser.open(visitor.authenticate("ada"))
        assert_refused(other_visitor)
        assert_no_account(other_visitor, service)


def test_an_unknown_link_is_rejected(service: World, visitor: Visitor) -> None:
    visitor.browser.open(f"{service.address}/auth/oidc?test=made-up")
    assert_refused(visitor)
