"""The factory of provider clients."""

import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from playdock.fetching.web import Fetcher
from playdock.metadata.provider_client import ProviderClient
from playdock.metadata.provider_store import ProviderStore
from playdock.metadata.rate_limit import RateLimit


class ProviderClientFactory(Struct, frozen=True):
    """Creates the clients of all providers, which share a fetcher, a store and a user agent."""

    web: Fetcher
    provider_store: ProviderStore
    user_agent: str
    sleep: Callable[[float], None] = time.sleep

    def client(
        self,
        source_id: str,
        *,
        addresses: Sequence[str],
        pictures: Sequence[str],
        rate_limit: RateLimit,
        name: str = "",
    ) -> ProviderClient:
        return ProviderClient(
            source_id,
            name or source_id,
            self.web,
            self.provider_store,
            addresses=tuple(addresses),
            pictures=tuple(pictures),
            rate_limit=rate_limit,
            user_agent=self.user_agent,
            sleep=self.sleep,
        )
