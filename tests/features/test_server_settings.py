"""Administrators change settings on a page: in all processes, without a restart, and never so that none starts."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from playdock.configuration import Configuration
from playdock.domain.server_settings import queries
from playdock.domain.server_settings.service import DATABASE, ServerSettings
from playdock.editable_settings import EDITABLE
from playdock.features.server_settings import rules
from playdock.kit.secret_key import SecretKey
from playdock.metadata.providers import Providers
from playdock.settings import Settings
from shops import FakeProvider
from world import Caller, World

PATH = "/api/v1/admin/settings"
# A busy machine; the change is noticed within two seconds.
_PATIENCE = 60.0


def change(admin: Caller, **values: str | None) -> Any:
    return admin.patch(PATH, {"values": values})


def shown(admin: Caller, name: str) -> dict[str, Any]:
    listed = admin.get(PATH)
    assert listed.status_code == 200, listed.text
    found: dict[str, Any] = next(each for each in listed.json()["settings"] if each["name"] == name)
    return found


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + _PATIENCE
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


def another_process(world: World, sources: dict[str, str] | None = None, **wanted: Any) -> ServerSettings:
    """Return the settings of a process that starts now, with the same database."""
    current = world.services.settings
    settings = Settings(data_dir=current.data_dir, database_url=current.database_url, **wanted)
    started = ServerSettings(world.services.db, Configuration(settings, sources or {}))
    started.load()
    return started


def test_a_changed_setting_applies_at_once_and_after_a_restart(world: World) -> None:
    admin = world.admin()
    before = shown(admin, "DOWNLOAD_RATE")

    changed = change(admin, DOWNLOAD_RATE="5000000", REFUSE_WEAK_PASSWORDS="true", SESSION_IDLE_DAYS="7")

    assert changed.status_code == 200, changed.text
    assert (before["value"], before["isSet"], before["fixedBy"]) == ("0", False, None)
    assert (shown(admin, "DOWNLOAD_RATE")["value"], shown(admin, "DOWNLOAD_RATE")["isSet"]) == ("5000000", True)
    settings = world.services.settings
    assert (settings.download_rate, settings.refuse_weak_passwords, settings.session_idle_days) == (5_000_000, True, 30)
    assert world.services.downloads.transfers.limiter.status.limits.rate == 5_000_000
    waiting = shown(admin, "SESSION_IDLE_DAYS")
    assert (waiting["value"], waiting["needsRestart"], waiting["isPending"]) == ("7", True, True)
    restarted = another_process(world)
    assert (restarted.settings.download_rate, restarted.settings.session_idle_days) == (5_000_000, 7)
    assert restarted.sources["DOWNLOAD_RATE"] == DATABASE

    assert change(admin, DOWNLOAD_RATE=None).status_code == 200
    assert (settings.download_rate, shown(admin, "DOWNLOAD_RATE")["isSet"]) == (0, False)


def test_what_another_process_changes_applies_within_seconds(world: World) -> None:
    with world.services.db.write() as session:
        queries.replace(session, {"token_max_days": "3"}, names=["token_max_days"])

    assert eventually(lambda: world.services.settings.token_max_days == 3)


def test_a_secret_is_never_shown_and_encrypted_in_the_database(world: World) -> None:
    admin = world.admin()

    changed = change(admin, GIANTBOMB_API_KEY="a-secret-key")

    assert "a-secret-key" not in changed.text + admin.get("/api/v1/admin/audit").text
    assert (shown(admin, "GIANTBOMB_API_KEY")["isSet"], shown(admin, "GIANTBOMB_API_KEY")["value"]) == (True, None)
    assert world.services.settings.giantbomb_api_key == "a-secret-key"
    with world.services.db.read() as session:
        assert "a-secret-key" not in queries.all_values(session)["giantbomb_api_key"]
    entry = admin.get("/api/v1/admin/audit").json()["entries"][0]
    assert (entry["operation"], entry["details"]) == ("change_settings", {"GIANTBOMB_API_KEY": "…"})


def test_a_value_that_is_not_valid_is_refused_and_named(world: World) -> None:
    admin = world.admin()

    refused = change(admin, DOWNLOAD_RATE="fast", BACKUP_TIME="25:00", DATA_DIR="/", OIDC_CLIENT_ID="playdock")

    assert refused.status_code == 400
    assert [each["field"] for each in refused.json()["errors"]] == ["DATA_DIR"]
    wrong = {"DOWNLOAD_RATE": "fast", "BACKUP_TIME": "25:00", "BACKUP_FOLDER": "s3://x", "OIDC_CLIENT_ID": "playdock"}
    refused = change(admin, **wrong)
    named = {each["field"] for each in refused.json()["errors"]}
    assert {"DOWNLOAD_RATE", "BACKUP_TIME", "BACKUP_FOLDER", "OIDC_CLIENT_SECRET"} <= named
    assert world.services.settings.oidc_client_id == ""


def test_a_stored_value_that_is_not_valid_is_left_out(world: World) -> None:
    stored = {"backup_time": "never", "token_max_days": "9", "oidc_client_id": "playdock", "gone": "1"}
    with world.services.db.write() as session:
        queries.replace(session, stored, names=stored)

    started = another_process(world)

    assert (started.settings.backup_time, started.settings.token_max_days) == ("04:00", 9)
    assert started.settings.oidc_client_id == ""
    assert {error.name for error in started.faults} >= {"BACKUP_TIME", "OIDC_CLIENT_SECRET"}


def test_the_environment_takes_precedence_and_fixes_a_setting(world: World) -> None:
    admin = world.admin()
    change(admin, DOWNLOAD_RATE="5")

    started = another_process(world, {"DOWNLOAD_RATE": "the environment"}, download_rate=7)

    assert started.settings.download_rate == 7
    assert started.sources["DOWNLOAD_RATE"] == "the environment"
    [refused] = rules.refused({"download_rate": "5"}, started.fixed_sources)
    assert str(refused.detail) == "It is set by the environment. Change it there."


def test_a_secret_of_another_key_is_reported_and_can_be_replaced(world: World) -> None:
    admin = world.admin()
    change(admin, STEAMGRIDDB_API_KEY="a-secret-key")
    settings = world.services.settings
    other = ServerSettings(world.services.db, Configuration(settings, {}), SecretKey("k" * 40, settings.data_dir))

    other.load()

    assert [error.name for error in other.faults] == ["STEAMGRIDDB_API_KEY"]
    assert other.try_stored({"steamgriddb_api_key": "a-new-key"}).errors == ()


@pytest.mark.parametrize("acls", [["system:settings:update"], ["system:user:admin:update"]])
def test_settings_need_the_permission_to_make_administrators(world: World, acls: list[str]) -> None:
    """Somebody who changes the OpenID provider could become an administrator."""
    program = world.token_of(world.admin(), *acls)

    assert change(program, TOKEN_MAX_DAYS="3").status_code == 403
    assert program.post(f"{PATH}/test", {"what": "IGDB", "values": {}}).status_code == 403


def test_settings_need_a_recent_sign_in(world: World) -> None:
    admin = world.admin()
    world.clock.advance(minutes=11)

    refused = change(admin, TOKEN_MAX_DAYS="3")

    assert (refused.status_code, refused.json()["type"]) == (403, "recent-sign-in-required")


def test_keys_can_be_tested_before_they_are_saved(world: World) -> None:
    admin = world.admin()

    failed = admin.post(f"{PATH}/test", {"what": "GiantBomb", "values": {}})
    openid = admin.post(f"{PATH}/test", {"what": "OpenID", "values": {}})

    assert (failed.status_code, failed.json()["errors"][0]["code"]) == (400, "provider-keys-missing")
    assert (openid.status_code, openid.json()["errors"][0]["field"]) == (400, "OIDC_CLIENT_ID")
    assert Providers([FakeProvider("Steam", {})]).fault_of("Steam", seconds=5) is None


def test_every_setting_of_the_page_exists() -> None:
    names = [each.name for each in EDITABLE]
    assert len(names) == len(set(names))
    assert set(names) <= set(Settings.__struct_fields__)
    assert all(rules.kind_of(each.name, secret=each.secret) for each in EDITABLE)


def test_settings_with_fixed_values_say_which(world: World) -> None:
    admin = world.admin()
    tls, providers = shown(admin, "SMTP_TLS"), shown(admin, "METADATA_PROVIDERS")
    assert (tls["kind"], tls["choices"], tls["value"]) == ("oneOf", ["starttls", "tls", "none"], "starttls")
    assert (providers["kind"], providers["choices"][:2]) == ("someOf", ["Steam", "IGDB"])
    assert shown(admin, "DOWNLOAD_RATE")["choices"] == []


def test_the_metadata_providers_are_chosen_without_a_restart(world: World) -> None:
    # The tests' settings fix them, as an environment would not.
    started = another_process(world)
    with world.services.db.write() as session:
        started.store(session, {"metadata_providers": "steam, PCGamingWiki"})
    started.refresh()
    assert started.settings.named_providers == {"steam", "pcgamingwiki"}
    assert started.faults == ()
    unknown = started.try_stored({"metadata_providers": "Steam,Stream"})
    [error] = unknown.errors
    assert (error.name, str(error.detail)) == (
        "METADATA_PROVIDERS",
        "Unknown: stream. Known: Steam, IGDB, GiantBomb, PCGamingWiki, SteamGridDB, none.",
    )
