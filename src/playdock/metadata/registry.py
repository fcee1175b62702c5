"""The registry: which providers there are, and which of them are set up. A new provider is one line here."""

from collections.abc import Callable, Collection
from urllib.parse import quote

from playdock import __version__
from playdock.fetching.web import Web
from playdock.kit.errors import Fault
from playdock.metadata import giantbomb, igdb, pcgamingwiki, steam, steamgriddb
from playdock.metadata.ledger import Ledger
from playdock.metadata.office import Office
from playdock.metadata.providers import Manual, MetadataProvider, Providers
from playdock.settings import Settings, SettingsUnusable

_PLAIN = " !#$%&'*+,-./:;=?@[]_~"

SetUp = Callable[[Settings, Office], MetadataProvider | None]

# By source id, in the order in which equally likely results are shown. Each gives None while its keys are not set.
ADAPTERS: dict[str, SetUp] = {
    "Steam": steam.set_up,
    "IGDB": igdb.set_up,
    "GiantBomb": giantbomb.set_up,
    "PCGamingWiki": pcgamingwiki.set_up,
    "SteamGridDB": steamgriddb.set_up,
}


def set_up(settings: Settings, *, web: Web, ledger: Ledger) -> Providers:
    """Make the providers that the settings ask for; the administrator's own word is always among them.

    Raises:
        SettingsUnusable: the settings name a provider that there is not.
    """
    wanted = _wanted(settings)
    office = Office(web, ledger, _user_agent(settings), sleep=web.pause)
    made = [adapter(settings, office) for source_id, adapter in ADAPTERS.items() if source_id.lower() in wanted]
    return Providers([*(provider for provider in made if provider is not None), Manual()])


def _user_agent(settings: Settings) -> str:
    """Say who asks and where we can be reached, in the signs that a comment in a header may have (RFC 9110, 5.6.5)."""
    return f"Playdock/{__version__} (+{quote(settings.contact or settings.address, safe=_PLAIN, errors='replace')})"


def _wanted(settings: Settings) -> Collection[str]:
    known = {source_id.lower() for source_id in ADAPTERS}
    named = settings.named_providers
    if unknown := named - known:
        detail = f"Unknown: {', '.join(sorted(unknown))}. Known: {', '.join(ADAPTERS)}, none."
        raise SettingsUnusable([Fault("METADATA_PROVIDERS", detail)])
    return named if settings.metadata_providers.strip(" ,") else known
