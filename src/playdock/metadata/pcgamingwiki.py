"""PCGamingWiki (https://www.pcgamingwiki.com/wiki/PCGamingWiki:API): games as the heads of its pages tell of them.

Its database (Cargo) answers no strangers since August 2026, but the pages that feed it can be read by everybody, fifty
at a time; they also hold the text that would otherwise cost a request for each game. Twenty requests are allowed in a
minute. The text is under CC BY-NC-SA, so the page is always named.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import msgspec

from playdock.fetching.web import Deadline, Request
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import Desk
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import GameFacts, PictureOffer
from playdock.metadata.office import Office
from playdock.metadata.pcgamingwiki_pages import Page, Wiki, facts_of, found_of, pages_of
from playdock.metadata.providers import Ability, Found
from playdock.metadata.reading import one_name, page_path, read, tagged_id
from playdock.settings import Settings

_SITE = "https://www.pcgamingwiki.com"
_ALLOWANCE = Allowance(calls=20, seconds=60)
_SEARCHES_KEPT = timedelta(days=1)
_PAGES_KEPT = timedelta(hours=1)
_BATCH = 50
_MOST_FOUND = 10

# What is asked for of every page: the text above its first heading.
_HEADS = {
    "action": "query",
    "format": "json",
    "formatversion": "2",
    "redirects": "1",
    "prop": "revisions",
    "rvprop": "content",
    "rvslots": "main",
    "rvsection": "0",
}
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_TITLE = re.compile(r"wiki/([^|#<>\[\]{}]{1,255})")
_STEAM_ID = re.compile(r"steam/([1-9][0-9]{0,9})")
_NO_TITLE = re.compile(r"[|#<>\[\]{}_™®©\s]+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_ERROR_CODE = re.compile(r"[a-z-]{1,40}")


class _Error(msgspec.Struct, frozen=True):
    code: str = ""


class _Answer(msgspec.Struct, frozen=True):
    batchcomplete: bool | None = None
    query: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PCGamingWiki:
    """PCGamingWiki. Ids are those of pages; `fetch` also takes `wiki/<title>` and `steam/<id>`."""

    desk: Desk
    wiki: Wiki
    source_id: str = "PCGamingWiki"
    name: str = "PCGamingWiki"
    can: frozenset[Ability] = frozenset((Ability.SEARCH, Ability.FETCH))

    def recognise(self, query: str) -> str | None:
        """Read `pcgw-1234`, or the address of a page or of what leads to it from an id of Steam."""
        path = page_path(query, _SITE, self.wiki.site)
        asked = parse_qs(urlsplit(query.strip()).query) if path else {}
        steam_id = f"steam/{asked['appid'][0]}" if path.endswith("/api/appid.php") and "appid" in asked else ""
        title = f"wiki/{path.partition('/wiki/')[2]}" if "/wiki/" in path else ""
        number = asked.get("curid", [""])[0] or tagged_id(query, "pcgw", "pcgamingwiki")
        wanted = steam_id or title or number
        return wanted if any(kind.fullmatch(wanted) for kind in (_NUMBER, _TITLE, _STEAM_ID)) else None

    def search(self, query: str, *, within: Deadline) -> Sequence[Found]:
        """Look for pages whose titles begin so, and if there are none for what has all the words."""
        start, words = _NO_TITLE.sub(" ", one_name(query)).strip(), " ".join(_WORD.findall(one_name(query)))
        if not words:
            return ()
        beginning = {"generator": "prefixsearch", "gpssearch": start, "gpsnamespace": "0", "gpslimit": str(_MOST_FOUND)}
        containing = {"generator": "search", "gsrsearch": words, "gsrnamespace": "0", "gsrlimit": str(_MOST_FOUND)}
        for wanted in (beginning, containing):
            if pages := self._heads(wanted, within, keep=_SEARCHES_KEPT):
                return [found_of(page, self.wiki) for page in pages]
        return ()

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameFacts]:
        numbers = [each for each in ids if _NUMBER.fullmatch(each)]
        titles = [found[1] for each in ids if (found := _TITLE.fullmatch(each))]
        steam_ids = [found[1] for each in ids if (found := _STEAM_ID.fullmatch(each))]
        titles += [title for steam_id in steam_ids if (title := self._title_on_steam(steam_id, within))]
        pages = [*self._known("pageids", numbers, within), *self._known("titles", titles, within)]
        return {str(page.pageid): facts_of(page, self.wiki) for page in pages}

    def pictures(self, facts: GameFacts, *, within: Deadline) -> Sequence[PictureOffer]:  # noqa: ARG002 - not offered
        return ()

    def download(self, offer: PictureOffer, *, within: Deadline) -> bytes:
        return self.desk.picture(offer.address, within=within)

    def _known(self, kind: str, wanted: Sequence[str], within: Deadline) -> list[Page]:
        once = list(dict.fromkeys(wanted))
        batches = ("|".join(once[start : start + _BATCH]) for start in range(0, len(once), _BATCH))
        return [page for batch in batches for page in self._heads({kind: batch}, within, keep=_PAGES_KEPT)]

    def _heads(self, wanted: Mapping[str, str], within: Deadline, *, keep: timedelta) -> list[Page]:
        request = Request(f"{self.wiki.site}/w/api.php?{urlencode({**_HEADS, **wanted})}")
        return self.desk.read(request, self._pages, within=within, keep=keep)

    def _pages(self, answer: Any) -> list[Page]:
        """Read an answer; it has no query where nothing was found, and a status of 200 where there was an error."""
        given = read(_Answer, answer)
        if given.error is not None:
            code = read(_Error, given.error).code
            told = code if _ERROR_CODE.fullmatch(code) else "unknown"
            raise ProviderFault(self.name, f"answered with an error ({told})", passes=told == "ratelimited")
        if given.batchcomplete is None and given.query is None:
            raise ValueError(answer)
        return pages_of(given.query or {})

    def _title_on_steam(self, steam_id: str, within: Deadline) -> str:
        """Give the title of the page of a game of Steam: the wiki sends whoever asks on to it."""
        request = Request(f"{self.wiki.site}/api/appid.php?appid={steam_id}")
        path = page_path(_absolute(self.desk.target(request, within=within), request.url), self.wiki.site)
        found = _TITLE.search(path)
        return found[1] if found else ""


def _absolute(target: str, base: str) -> str:
    try:
        return urljoin(base, target)
    except ValueError:
        return ""


def set_up(settings: Settings, office: Office) -> PCGamingWiki:
    wiki = Wiki(settings.pcgamingwiki_url.rstrip("/"), settings.pcgamingwiki_image_url.rstrip("/"))
    desk = office.desk("PCGamingWiki", addresses=(wiki.site,), pictures=(wiki.images,), allowance=_ALLOWANCE)
    return PCGamingWiki(desk, wiki)
