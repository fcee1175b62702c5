"""A program that sends secrets in every part of a request, while all libraries log at the most verbose level.

Called with the provider's address, the database's, and whether our own logs are set up: yes or no.
"""

import logging
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from playdock.db.database import Database
from playdock.fetching.requests import Deadline, Request
from playdock.fetching.web import Fetcher
from playdock.kit import log_config as our_logging
from playdock.kit.clock import utc_now
from playdock.metadata.errors import ProviderError
from playdock.metadata.provider_client import ProviderClient
from playdock.metadata.provider_store import ProviderStore
from playdock.metadata.providers import Capability, Manual, Providers, SearchResult
from playdock.metadata.rate_limit import RateLimit
from playdock.settings import Settings

PATHS = ("/fine", "/html", "/refused", "/busy", "/away", "/elsewhere", "/broken", "/cut")


class Careless(Manual, frozen=True):
    """A provider that raises errors with the responses it gets."""

    client: Any = None
    address: str = ""
    source_id: str = "Careless"
    capabilities: frozenset[Capability] = frozenset([Capability.SEARCH])

    def search(self, query: str, *, within: Deadline) -> Sequence[SearchResult]:
        return [SearchResult(**self.client.json(Request(self.address), within=within))]


def main(address: str, database_url: str, configured: str) -> None:
    logging.basicConfig(stream=sys.stderr)
    if configured == "yes":
        our_logging.configure()
    logging.getLogger().setLevel(logging.NOTSET)
    web = Fetcher()
    provider_store = ProviderStore(Database(Settings(database_url=database_url).database), utc_now)
    client = ProviderClient(
        "Games", "Games", web, provider_store, (address,), (address,), RateLimit(99, 1), "Us", sleep=lambda _: None
    )
    for path in PATHS:
        for method in ("GET", "POST"):
            request = Request(f"{address}{path}?key=s3cret", method, {"X-Key": "s3cret", "Cookie": "s3cret"}, b"s3cret")
            with suppress(ProviderError):
                client.json(request, within=Deadline.after(30))
    with suppress(ProviderError):
        client.picture(f"{address}/refused?key=s3cret", within=Deadline.after(30))
    Providers([Careless(client=client, address=f"{address}/fine?key=s3cret")]).search("s3cret")
    web.close()
    logging.getLogger().warning("the end")


if __name__ == "__main__":
    main(*sys.argv[1:])
