"""The selection of providers by the settings, and their User-Agent header."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopback import Loopback, answer
from playdock.db.database import Database
from playdock.fetching.requests import Deadline, Request
from playdock.fetching.web import Fetcher
from playdock.kit.clock import utc_now
from playdock.metadata import registry
from playdock.metadata.client_factory import ProviderClientFactory
from playdock.metadata.provider_store import ProviderStore
from playdock.metadata.providers import Manual, MetadataProvider
from playdock.metadata.rate_limit import RateLimit
from playdock.setting_choices import SOME_OF
from playdock.settings import Settings

_AGENT = re.compile(r"Playdock/\S+ \(\+[ -'*-\[\]-~]+\)")


@pytest.fixture
def factories(monkeypatch: pytest.MonkeyPatch) -> list[ProviderClientFactory]:
    """The factories passed to a registry with three providers, one of which is not set up."""
    opened: list[ProviderClientFactory] = []

    def first(_settings: Settings, factory: ProviderClientFactory) -> MetadataProvider:
        opened.append(factory)
        return Manual("First")

    adapters: dict[str, registry.AdapterFactory] = {
        "First": first,
        "Keyless": lambda _settings, _client_factory: None,
        "Last": lambda _settings, _client_factory: Manual("Last"),
    }
    monkeypatch.setattr(registry, "ADAPTERS", adapters)
    return opened


def names(setting: str, tmp_path: Path) -> list[str]:
    provider_store = ProviderStore(Database(f"sqlite:///{tmp_path}/unopened"), utc_now)
    return registry.set_up(Settings(metadata_providers=setting), web=Fetcher(), provider_store=provider_store).names


@pytest.mark.usefixtures("factories")
@pytest.mark.parametrize(
    ("setting", "found"),
    [
        ("", ["First", "Last", "Manual"]),
        ("last", ["Last", "Manual"]),
        (" LAST , first,", ["First", "Last", "Manual"]),
        ("Keyless", ["Manual"]),
        ("none", ["Manual"]),
    ],
)
def test_the_settings_select_the_providers(setting: str, found: list[str], tmp_path: Path) -> None:
    assert names(setting, tmp_path) == found


def test_the_settings_can_name_every_provider() -> None:
    assert tuple(registry.ADAPTERS) == SOME_OF["metadata_providers"]


@given(st.text(st.characters(), max_size=50))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_contact_can_be_sent(factories: list[ProviderClientFactory], tmp_path: Path, contact: str) -> None:
    provider_store = ProviderStore(Database(f"sqlite:///{tmp_path}/unopened"), utc_now)
    registry.set_up(Settings(contact=contact), web=Fetcher(), provider_store=provider_store)

    assert _AGENT.fullmatch(factories[-1].user_agent)


def test_requests_contain_the_contact_of_the_operator(
    factories: list[ProviderClientFactory], web: Fetcher, provider_store: ProviderStore, server: Loopback
) -> None:
    registry.set_up(Settings(contact="Jörg <j@example.org>"), web=web, provider_store=provider_store)
    address = server.on("/a", answer())

    client = factories[0].client("First", addresses=[address], pictures=[], rate_limit=RateLimit(1, 1))
    client.send(Request(address), within=Deadline.after(30))

    assert server.requests_received[0].headers["user-agent"].endswith(" (+J%C3%B6rg %3Cj@example.org%3E)")


def test_a_client_does_not_wait_for_its_rate_limit_while_the_service_stops(
    factories: list[ProviderClientFactory], web: Fetcher, provider_store: ProviderStore
) -> None:
    registry.set_up(Settings(), web=web, provider_store=provider_store)
    web.close()

    factories[0].sleep(3600)
