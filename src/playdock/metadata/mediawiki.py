"""A client of MediaWiki's api.php (https://www.mediawiki.org/wiki/API:Main_page)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from playdock.fetching.requests import Deadline, Request
from playdock.kit.messages import Message
from playdock.metadata.errors import ProviderError
from playdock.metadata.provider_client import ProviderClient
from playdock.metadata.reading import read

_T = TypeVar("_T")

# The API's limit of values per parameter for clients without special rights.
_MAX_VALUES = 50
_ERROR_CODE = re.compile(r"[a-z-]{1,40}")


class _Error(msgspec.Struct, frozen=True):
    code: str = ""


class MediaWiki(Struct, frozen=True):
    """The API of a wiki and the client that calls it."""

    client: ProviderClient
    address: str

    def send(
        self, params: Mapping[str, str], parse: Callable[[Any], _T], *, within: Deadline, cache_for: timedelta
    ) -> _T:
        """Send a query and return its response, converted by ``parse``; see `ProviderClient.read`.

        Raises:
            ProviderError: there is no usable response. MediaWiki reports its errors with status 200.
        """
        request = Request(f"{self.address}?{urlencode({'format': 'json', **params})}")
        return self.client.read(request, partial(self._parsed, parse), within=within, cache_for=cache_for)

    def _parsed(self, parse: Callable[[Any], _T], response: Any) -> _T:
        if isinstance(response, dict) and "error" in response:
            code = read(_Error, response["error"]).code
            shown = code if _ERROR_CODE.fullmatch(code) else "unknown"
            message = Message("provider-error", provider=self.client.name, error=shown)
            raise ProviderError(message, retryable=shown == "ratelimited")
        return parse(response)


def batches(values: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Return values without duplicates, in batches of as many as the API accepts in one query."""
    unique = list(dict.fromkeys(values))
    return (unique[start : start + _MAX_VALUES] for start in range(0, len(unique), _MAX_VALUES))
