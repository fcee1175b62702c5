"""An adapter connected to the stand-in of its provider, with a clock that advances only while the adapter sleeps."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from clocks import StillClock
from databases import Databases
from playdock.db.database import Database
from playdock.fetching.requests import FetchLimits, FetchResponse, Request
from playdock.fetching.web import Fetcher
from playdock.metadata.client_factory import ProviderClientFactory
from playdock.metadata.provider_store import ProviderStore
from playdock.metadata.providers import MetadataProvider
from playdock.settings import Settings
from providers.standin import StandIn

AdapterFactory = Callable[[Settings, ProviderClientFactory], MetadataProvider | None]


@dataclass
class RecordingFetcher(Fetcher):
    """A fetcher that records the times of requests."""

    clock: StillClock
    request_times: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def fetch(self, request: Request, limits: FetchLimits) -> FetchResponse:
        self.request_times.append(self.clock().timestamp())
        return super().fetch(request, limits)


@dataclass
class Setup:
    """An adapter with its stand-in, store, fetcher and clock."""

    provider: MetadataProvider
    standin: StandIn
    provider_store: ProviderStore
    web: RecordingFetcher
    clock: StillClock


@contextmanager
def open_provider(create: AdapterFactory, standin: StandIn, *, databases: Databases, folder: Path) -> Iterator[Setup]:
    """Serve a stand-in and set up its adapter with a provider store of its own."""
    settings = Settings(data_dir=folder, database_url=databases.fresh(folder))
    db = Database(settings.database)
    clock = StillClock()
    provider_store = ProviderStore(db, clock)
    web = RecordingFetcher(clock)
    with standin:
        configured = msgspec.convert({"data_dir": folder, **standin.settings}, Settings)
        provider = create(
            configured,
            ProviderClientFactory(web, provider_store, "Playdock/test (+http://localhost:3000)", clock.sleep),
        )
        assert provider is not None
        try:
            yield Setup(provider, standin, provider_store, web, clock)
        finally:
            web.close()
            db.close()
