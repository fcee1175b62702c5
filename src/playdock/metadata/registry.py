"""The registry: which providers there are, and which of them are set up. A new provider is one line here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from playdock import __version__
from playdock.fetching.web import Web
from playdock.kit.errors import Fault
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import Desk
from playdock.metadata.ledger import Ledger
from playdock.metadata.providers import Manual, MetadataProvider, Providers
from playdock.settings import Settings, SettingsUnusable

SetUp = Callable[[Settings, "Office"], MetadataProvider | None]


@dataclass(frozen=True, slots=True)
class Office:
    """Gives every provider its desk."""

    web: Web
    ledger: Ledger
    user_agent: str

    def desk(
        self, source_id: str, *, addresses: Sequence[str], pictures: Sequence[str], allowance: Allowance, name: str = ""
    ) -> Desk:
        return Desk(
            source_id,
            name or source_id,
            self.web,
            self.ledger,
            addresses=tuple(addresses),
            pictures=tuple(pictures),
            allowance=allowance,
            user_agent=self.user_agent,
        )


# By source id, in the order in which equally likely results are shown. Each gives None while its keys are not set.
ADAPTERS: dict[str, SetUp] = {}


def set_up(settings: Settings, *, web: Web, ledger: Ledger) -> Providers:
    """Make the providers that the settings ask for; the administrator's own word is always among them.

    Raises:
        SettingsUnusable: the settings name a provider that there is not.
    """
    wanted = _wanted(settings)
    office = Office(web, ledger, f"Playdock/{__version__} (+{settings.contact or settings.address})")
    made = [adapter(settings, office) for source_id, adapter in ADAPTERS.items() if source_id.lower() in wanted]
    return Providers([*(provider for provider in made if provider is not None), Manual()])


def _wanted(settings: Settings) -> set[str]:
    known = {source_id.lower() for source_id in ADAPTERS}
    named = {name.strip().lower() for name in settings.metadata_providers.split(",")} - {""}
    if unknown := named - known - {"none"}:
        detail = f"Unknown: {', '.join(sorted(unknown))}. Known: {', '.join(ADAPTERS)}, none."
        raise SettingsUnusable([Fault("METADATA_PROVIDERS", detail)])
    return named & known if named else known
