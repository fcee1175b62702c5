"""``playdock doctor`` looks at the provider, and ``playdock doctor --openid`` leads through one sign-in."""

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
from .lies import TOKENS
from .real import CLIENT_SECRET, RealProvider
from .refusals import assert_nobody_came, assert_page_refuses, secrets_in
from .visits import Visitor, openid_settings

PROGRAM = Path(sys.executable).parent / "playdock"
ADA = {"preferred_username": "Ada.Lovelace", "name": "Ada L", "email": "ada@example.org", "groups": ["keepers"]}
_PATIENCE = 60


@dataclass
class Examination:
    """A run of the doctor: what it has printed so far, and in the end its status."""

    process: subprocess.Popen[str]
    printed: str = ""
    status: int = field(default=-1)

    def link(self) -> str:
        """Read up to the link that is to be opened."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.printed += line
            if "/auth/oidc?test=" in line:
                return line.strip()
        raise AssertionError(f"No link was printed: {self.printed}")

    def end(self) -> None:
        out, err = self.process.communicate(timeout=_PATIENCE)
        self.printed += out + err
        self.status = self.process.returncode


@contextmanager
def _examination(world: World, discovery: str, *options: str, **wanted: Any) -> Iterator[Examination]:
    """Run the doctor beside a service, with the same settings."""
    settings: Mapping[str, Any] = {
        "external_url": world.address,
        "data_dir": world.folder / "data",
        "database_url": world.services.settings.database_url,
        **openid_settings(discovery, **wanted),
    }
    process = subprocess.Popen(
        [PROGRAM, "doctor", *options],
        env={name.upper(): str(value) for name, value in settings.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Examination(process)
    finally:
        process.kill()
        process.communicate()


def _test_sign_in(world: World, discovery: str, visitor: Visitor, login: str = "") -> Examination:
    """Follow the guided test to its end."""
    with _examination(world, discovery, "--openid") as examination:
        visitor.browser.open(examination.link())
        visitor.pass_provider(login)
        visitor.browser.follow()
        examination.end()
    return examination


def test_what_was_discovered_is_told(service: World, provider: RealProvider) -> None:
    with _examination(service, provider.discovery) as examination:
        examination.end()
    told = (provider.issuer, f"{provider.issuer}/token", "RS256", f"{service.address}/auth/callback/oidc")
    assert all(each in examination.printed for each in told), examination.printed
    assert CLIENT_SECRET not in examination.printed


def test_a_provider_that_is_down_is_told(service: World) -> None:
    with _examination(service, "http://localhost:9/.well-known/openid-configuration") as examination:
        examination.end()
    assert examination.status == 1
    assert "broken OpenID provider" in examination.printed


@pytest.mark.parametrize("options", [[], ["--openid"]])
def test_a_secret_that_is_missing_is_told(service: World, provider: RealProvider, options: list[str]) -> None:
    with _examination(service, provider.discovery, *options, oidc_client_secret="") as examination:
        examination.end()
    assert examination.status == 1
    assert "OIDC_CLIENT_SECRET" in examination.printed


def test_a_test_tells_what_would_become_of_somebody_new(
    service: World, provider: RealProvider, visitor: Visitor
) -> None:
    provider.know(ada=ADA)
    examination = _test_sign_in(service, provider.discovery, visitor, "ada")
    told = ('preferred_username: "Ada.Lovelace"', "AdaLovelace", "Ada L", "ada@example.org", "admin: yes", "keepers")
    assert examination.status == 0
    assert all(each in examination.printed for each in told), examination.printed


def test_a_test_signs_nobody_in(service: World, provider: RealProvider, visitor: Visitor) -> None:
    provider.know(ada=ADA)
    _test_sign_in(service, provider.discovery, visitor, "ada")
    assert visitor.browser.answer.status_code == 200
    assert_nobody_came(visitor, service)


def test_a_test_finds_the_account_that_somebody_has(
    service: World, provider: RealProvider, visitor: Visitor, other_visitor: Visitor
) -> None:
    provider.know(ada=ADA)
    user = other_visitor.sign_in("ada")
    provider.know(ada={"preferred_username": "countess"})
    examination = _test_sign_in(service, provider.discovery, visitor, "ada")
    assert f"account: {user['username']}" in examination.printed
    assert "admin: no" in examination.printed


def test_a_test_tells_why_a_sign_in_fails(trusting: World, hostile: HostileProvider, victim: Visitor) -> None:
    hostile.lie(**TOKENS["expired"])
    examination = _test_sign_in(trusting, hostile.discovery_url, victim)
    assert_page_refuses(victim)
    assert examination.status == 1
    assert "expired" in examination.printed


def test_a_test_prints_no_secret(trusting: World, hostile: HostileProvider, victim: Visitor) -> None:
    hostile.person["name"] = "\x1b[2J[red]Ada[/red]"
    examination = _test_sign_in(trusting, hostile.discovery_url, victim)
    assert secrets_in(examination.printed, hostile) == []
    assert "\x1b" not in examination.printed
    assert "[red]Ada[/red]" in examination.printed


def test_the_link_of_a_test_is_good_for_one_time(
    service: World, provider: RealProvider, visitor: Visitor, other_visitor: Visitor
) -> None:
    provider.know(ada=ADA)
    with _examination(service, provider.discovery, "--openid") as examination:
        link = examination.link()
        visitor.browser.open(link)
        other_visitor.browser.open(link)
        assert_page_refuses(other_visitor)


def test_the_callback_of_a_test_is_good_in_its_own_browser_only(
    service: World, provider: RealProvider, visitor: Visitor, other_visitor: Visitor
) -> None:
    provider.know(ada=ADA)
    with _examination(service, provider.discovery, "--openid") as examination:
        visitor.browser.open(examination.link())
        other_visitor.browser.open(visitor.pass_provider("ada"))
        assert_page_refuses(other_visitor)
        assert_nobody_came(other_visitor, service)


def test_a_link_that_nobody_made_is_refused(service: World, visitor: Visitor) -> None:
    visitor.browser.open(f"{service.address}/auth/oidc?test=made-up")
    assert_page_refuses(visitor)
