"""A provider's adapter and the stand-in it asks, with a clock that stands still but for the adapter's own waiting."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from clocks import StillClock
from databases import Databases
from playdock.db.database import Database
from playdock.fetching.web import Bounds, Reply, Request, Web
from playdock.metadata.ledger import Ledger
from playdock.metadata.office import Office
from playdock.metadata.providers import MetadataProvider
from playdock.settings import Settings
from providers.standin import StandIn

SetUp = Callable[[Settings, Office], MetadataProvider | None]


@dataclass
class WatchedWeb(Web):
    """The web, and when something was asked of it."""

    clock: StillClock
    asked_at: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def fetch(self, request: Request, bounds: Bounds) -> Reply:
        self.asked_at.append(self.clock().timestamp())
        return super().fetch(request, bounds)


@dataclass
class Counter:
    """Where one provider is asked."""

    provider: MetadataProvider
    standin: StandIn
    ledger: Ledger
    web: WatchedWeb
    clock: StillClock


@contextmanager
def open_counter(set_up: SetUp, standin: StandIn, *, databases: Databases, folder: Path) -> Iterator[Counter]:
    """Serve a stand-in and set up the adapter that asks there, with a ledger of its own."""
    settings = Settings(data_dir=folder, database_url=databases.fresh(folder))
    db = Database(settings.database)
    clock = StillClock()
    ledger = Ledger(db, clock)
    web = WatchedWeb(clock)
    with standin:
        pointed = msgspec.convert({"data_dir": folder, **standin.settings}, Settings)
        provider = set_up(pointed, Office(web, ledger, "Playdock/test (+http://localhost:3000)", clock.sleep))
        assert provider is not None
        try:
            yield Counter(provider, standin, ledger, web, clock)
        finally:
            web.close()
            db.close()
