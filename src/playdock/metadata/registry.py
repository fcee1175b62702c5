"""The registry of provider adapters; a new provider is one line here, and its name in `setting_choices.py`."""

from collections.abc import Callable, Collection
from urllib.parse import quote

from playdock import __version__
from playdock.fetching.web import Fetcher
from playdock.metadata import giantbomb, igdb, pcgamingwiki, steam, steamgriddb
from playdock.metadata.client_factory import ProviderClientFactory
from playdock.metadata.provider_store import ProviderStore
from playdock.metadata.providers import Manual, MetadataProvider, Providers
from playdock.settings import Settings

# Characters that a comment in a header may contain unescaped (RFC 9110, 5.6.5), without parentheses and backslashes.
_COMMENT_CHARACTERS = " !#$%&'*+,-./:;=?@[]_~"

AdapterFactory = Callable[[Settings, ProviderClientFactory], MetadataProvider | None]

# By source id, in the order in which equally similar results are shown. An adapter returns None if its API keys are
# not set.
ADAPTERS: dict[str, AdapterFactory] = {
    "Steam": steam.set_up,
    "IGDB": igdb.set_up,
    "GiantBomb": giantbomb.set_up,
    "PCGamingWiki": pcgamingwiki.set_up,
    "SteamGridDB": steamgriddb.set_up,
}


def set_up(settings: Settings, *, web: Fetcher, provider_store: ProviderStore) -> Providers:
    """Create the providers that the settings select. The manual provider is always included."""
    selected = _selected(settings)
    factory = ProviderClientFactory(web, provider_store, _user_agent(settings), sleep=web.sleep)
    adapters = [adapter(settings, factory) for source_id, adapter in ADAPTERS.items() if source_id.lower() in selected]
    return Providers([*(provider for provider in adapters if provider is not None), Manual()])


def _user_agent(settings: Settings) -> str:
    """Return the User-Agent header: program, version, and how to contact its operator."""
    contact = quote(settings.contact or settings.address, safe=_COMMENT_CHARACTERS, errors="replace")
    return f"Playdock/{__version__} (+{contact})"


def _selected(settings: Settings) -> Collection[str]:
    if settings.metadata_providers.strip(" ,"):
        return settings.named_providers
    return {source_id.lower() for source_id in ADAPTERS}
