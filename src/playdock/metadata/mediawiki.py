"""MediaWiki: asking a wiki's api.php (https://www.mediawiki.org/wiki/API:Main_page)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec

from playdock.fetching.web import Deadline, Request
from playdock.metadata.desk import Desk
from playdock.metadata.errors import ProviderFault
from playdock.metadata.reading import read

_T = TypeVar("_T")

_MOST_VALUES = 50
_ERROR_CODE = re.compile(r"[a-z-]{1,40}")


class _Error(msgspec.Struct, frozen=True):
    code: str = ""


@dataclass(frozen=True, slots=True)
class MediaWiki:
    """A wiki's interface for programs, and the desk that it is asked at."""

    desk: Desk
    address: str

    def ask(self, question: Mapping[str, str], form: Callable[[Any], _T], *, within: Deadline, keep: timedelta) -> _T:
        """Ask, and give what ``form`` makes of the answer, as a desk's `read` does.

        Raises:
            ProviderFault: there is no answer, or none of use; errors of the wiki come with a status of 200.
        """
        request = Request(f"{self.address}?{urlencode({'format': 'json', **question})}")
        return self.desk.read(request, partial(self._formed, form), within=within, keep=keep)

    def _formed(self, form: Callable[[Any], _T], answer: Any) -> _T:
        if isinstance(answer, dict) and "error" in answer:
            code = read(_Error, answer["error"]).code
            told = code if _ERROR_CODE.fullmatch(code) else "unknown"
            raise ProviderFault(self.desk.name, f"answered with an error ({told})", passes=told == "ratelimited")
        return form(answer)


def batches(values: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Give values, each once, as many at a time as a wiki takes in a question."""
    once = list(dict.fromkeys(values))
    return (once[start : start + _MOST_VALUES] for start in range(0, len(once), _MOST_VALUES))
