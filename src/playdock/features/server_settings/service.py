"""Showing, changing and testing settings."""

from collections.abc import Mapping

from msgspec import Struct

from playdock.audit.service import add_details
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.server_settings.service import ServerSettings
from playdock.editable_settings import EDITABLE, Editable
from playdock.features.server_settings import rules
from playdock.features.server_settings.errors import ProviderTestFailed
from playdock.features.server_settings.rules import SettingsTarget
from playdock.features.server_settings.schemas import SettingResponse, SettingsChanges, SettingsResponse, SettingsTest
from playdock.fetching.web import Fetcher
from playdock.identity.provider import IdentityProvider
from playdock.kit.clock import Clock
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message, code_of, parameters_of
from playdock.metadata.provider_store import ProviderStore
from playdock.metadata.registry import set_up
from playdock.settings import Settings

# Who waits for a test has time for less; a provider that works responds in two seconds.
_TEST_SECONDS = 8.0


class SettingsPage(Struct, frozen=True):
    """The settings that administrators change."""

    db: Database
    clock: Clock
    server_settings: ServerSettings
    web: Fetcher

    def show(self, actor: Actor) -> SettingsResponse:
        """Return the settings, without secrets."""
        actor.require(Permission.SETTINGS_UPDATE)
        # Another process may have changed them a moment ago.
        self.server_settings.refresh()
        return self._response()

    def change(self, actor: Actor, changes: SettingsChanges) -> SettingsResponse:
        """Change settings.

        Raises:
            InvalidInput: settings are unknown, fixed or invalid; all of them are named, and nothing is changed.
            RecentSignInRequired: the user proved their identity too long ago.
        """
        actor.require(Permission.SETTINGS_UPDATE)
        actor.require(Permission.ADMINS_UPDATE)
        actor.require_recent_if_session(now=self.clock())
        wanted = self._checked(changes.values)
        add_details(**rules.recorded(wanted))
        with self.db.write() as session:
            self.server_settings.store(session, wanted)
        self.server_settings.refresh()
        return self._response()

    def test(self, actor: Actor, test: SettingsTest) -> None:
        """Send a request with settings that need not be saved.

        Raises:
            InvalidInput: as in `change`, or what the provider needs is not set.
            ProviderTestFailed: the metadata provider does not work with these settings.
            IdentityProviderUnavailable, IdentityProviderUnusable: the OpenID provider does not.
            RecentSignInRequired: the user proved their identity too long ago.
        """
        actor.require(Permission.SETTINGS_UPDATE)
        settings = self.tried(actor, test.values)
        if test.what is SettingsTarget.OPENID:
            self._test_openid(settings)
        else:
            self._test_provider(settings, test.what)

    def tried(self, actor: Actor, values: Mapping[str, str | None]) -> Settings:
        """Return the settings as they would be with some values, for a test.

        Raises:
            InvalidInput, RecentSignInRequired: as in `change`.
        """
        actor.require(Permission.SETTINGS_UPDATE)
        actor.require(Permission.ADMINS_UPDATE)
        actor.require_recent_if_session(now=self.clock())
        return self.server_settings.try_stored(self._checked(values)).configuration.settings

    def _test_openid(self, settings: Settings) -> None:
        if not settings.openid:
            raise InvalidInput([FieldError("OIDC_CLIENT_ID", Message("setting-needed-for-openid"))])
        provider = IdentityProvider(settings, self.web, self.clock)
        provider.discover()
        provider.count_keys()

    def _test_provider(self, settings: Settings, tested: SettingsTarget) -> None:
        providers = set_up(settings, web=self.web, provider_store=ProviderStore(self.db, self.clock))
        if providers.find(tested.value) is None:
            raise InvalidInput([FieldError("values", Message("provider-keys-missing", provider=tested.value))])
        fault = providers.fault_of(tested.value, seconds=_TEST_SECONDS)
        if fault is not None:
            raise ProviderTestFailed(fault)

    def _checked(self, values: Mapping[str, str | None]) -> dict[str, str | None]:
        changes = rules.changes_of(values)
        errors: list[FieldError] = list(rules.refused(changes, self.server_settings.fixed_sources))
        if not errors:
            found = self.server_settings.try_stored(changes).errors
            errors = rules.field_errors(found, self.server_settings.faults)
        if errors:
            raise InvalidInput(errors)
        return changes

    def _response(self) -> SettingsResponse:
        descriptions = rules.descriptions()
        return SettingsResponse(settings=[self._setting(each, descriptions[each.name]) for each in EDITABLE])

    def _setting(self, each: Editable, description: str) -> SettingResponse:
        name, known = each.name.upper(), self.server_settings
        wanted, current = (getattr(settings, each.name) for settings in (known.wanted, known.settings))
        fault = next((error.detail for error in known.faults if error.name == name), None)
        message = fault if isinstance(fault, Message) else None
        return SettingResponse(
            name=name,
            section=each.section,
            kind=rules.kind_of(each.name, secret=each.secret),
            choices=rules.choices_of(each.name),
            description=description,
            value=None if each.secret else rules.text_of(wanted),
            default=rules.default_of(each.name),
            is_set=name in known.sources,
            fixed_by=known.fixed_sources.get(name),
            needs_restart=each.restart,
            is_pending=wanted != current,
            fault=fault,
            fault_code=code_of(message),
            fault_parameters=parameters_of(message),
        )
