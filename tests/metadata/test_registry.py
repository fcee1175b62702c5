"""Which providers the settings ask for, and what all of them say of us."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopback import Loopback, answer
from playdock.db.database import Database
from playdock.fetching.web import Deadline, Request, Web
from playdock.kit.clock import utc_now
from playdock.metadata import registry
from playdock.metadata.allowances import Allowance
from playdock.metadata.ledger import Ledger
from playdock.metadata.office import Office
from playdock.metadata.providers import Manual, MetadataProvider
from playdock.settings import Settings, SettingsUnusable

_AGENT = re.compile(r"Playdock/\S+ \(\+[ -'*-\[\]-~]+\)")


@pytest.fixture
def offices(monkeypatch: pytest.MonkeyPatch) -> list[Office]:
    """The offices that were opened, of a registry with three providers, one of which is not set up."""
    opened: list[Office] = []

    def first(_settings: Settings, office: Office) -> MetadataProvider:
        opened.append(office)
        return Manual("First")

    adapters: dict[str, registry.SetUp] = {
        "First": first,
        "Keyless": lambda _settings, _office: None,
        "Last": lambda _settings, _office: Manual("Last"),
    }
    monkeypatch.setattr(registry, "ADAPTERS", adapters)
    return opened


def names(wanted: str, tmp_path: Path) -> list[str]:
    ledger = Ledger(Database(f"sqlite:///{tmp_path}/unopened"), utc_now)
    return registry.set_up(Settings(metadata_providers=wanted), web=Web(), ledger=ledger).names


@pytest.mark.usefixtures("offices")
@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("", ["First", "Last", "Manual"]),
        ("last", ["Last", "Manual"]),
        (" LAST , first,", ["First", "Last", "Manual"]),
        ("Keyless", ["Manual"]),
        ("none", ["Manual"]),
    ],
)
def test_the_settings_say_who_is_asked(wanted: str, found: list[str], tmp_path: Path) -> None:
    assert names(wanted, tmp_path) == found


@pytest.mark.usefixtures("offices")
def test_whom_nobody_knows_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsUnusable, match=r"METADATA_PROVIDERS: Unknown: stream\. Known: First, Keyless, Last"):
        names("first,Stream", tmp_path)


@given(st.text(st.characters(), max_size=50))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_contact_can_be_told(offices: list[Office], tmp_path: Path, contact: str) -> None:
    ledger = Ledger(Database(f"sqlite:///{tmp_path}/unopened"), utc_now)
    registry.set_up(Settings(contact=contact), web=Web(), ledger=ledger)

    assert _AGENT.fullmatch(offices[-1].user_agent)


def test_providers_are_told_where_we_can_be_reached(
    offices: list[Office], web: Web, ledger: Ledger, server: Loopback
) -> None:
    registry.set_up(Settings(contact="Jörg <j@example.org>"), web=web, ledger=ledger)
    address = server.on("/a", answer())

    desk = offices[0].desk("First", addresses=[address], pictures=[], allowance=Allowance(1, 1))
    desk.ask(Request(address), within=Deadline.after(30))

    assert server.heard[0].headers["user-agent"].endswith(" (+J%C3%B6rg %3Cj@example.org%3E)")


def test_a_desk_does_not_wait_for_its_turn_when_the_service_stops(
    offices: list[Office], web: Web, ledger: Ledger
) -> None:
    registry.set_up(Settings(), web=web, ledger=ledger)
    web.close()

    offices[0].sleep(3600)
