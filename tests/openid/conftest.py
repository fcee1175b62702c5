"""Fixtures of the OpenID tests: providers, services and browsers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from world import World, running_world

from .browser import Browser
from .hostile import HostileProvider, hostile_provider
from .real import RealProvider, require_node, running_provider
from .refusals import secrets_in
from .visitor import Visitor, openid_settings


@pytest.fixture(scope="session")
def node() -> str:
    return require_node()


@pytest.fixture(scope="session")
def _running_provider(node: str) -> Iterator[RealProvider]:
    with running_provider(node) as provider:
        yield provider


@pytest.fixture
def provider(_running_provider: RealProvider) -> RealProvider:
    """The certified provider, without accounts."""
    _running_provider.know()
    _running_provider.put_claims_into_id_tokens(options=False)
    return _running_provider


@pytest.fixture
def hostile() -> Iterator[HostileProvider]:
    """A configurable provider, which signs in any visitor as Ada."""
    with hostile_provider(sub="1815", preferred_username="ada", name="Ada L", email="ada@example.org") as provider:
        yield provider


@pytest.fixture
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.fixture
def other_browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.fixture
def service(database_url: str, tmp_path: Path, provider: RealProvider) -> Iterator[World]:
    """A running service that uses the certified provider."""
    with running_world(tmp_path, database_url=database_url, **openid_settings(provider.discovery)) as world:
        provider.serve(world.address)
        yield world


@pytest.fixture
def visitor(service: World, browser: Browser) -> Visitor:
    return Visitor(browser, service.address)


@pytest.fixture
def other_visitor(service: World, other_browser: Browser) -> Visitor:
    return Visitor(other_browser, service.address)


@pytest.fixture
def trusting(database_url: str, tmp_path: Path, hostile: HostileProvider) -> Iterator[World]:
    """A running service that uses the hostile provider."""
    with running_world(tmp_path, database_url=database_url, **openid_settings(hostile.discovery_url)) as world:
        yield world


@pytest.fixture
def victim(trusting: World, browser: Browser) -> Visitor:
    return Visitor(browser, trusting.address)


@pytest.fixture
def attacker(trusting: World, other_browser: Browser) -> Visitor:
    return Visitor(other_browser, trusting.address)


@pytest.fixture
def _no_secret_is_logged(
    hostile: HostileProvider, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    with capture_logs() as lines:
        yield
    assert secrets_in("".join([str(lines), caplog.text, *capfd.readouterr()]), hostile) == []
