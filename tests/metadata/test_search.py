"""Concurrent searches of all providers: a provider that fails affects only its own results."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import pytest
from structlog.testing import capture_logs

from clocks import StillClock
from loopback import Loopback, answer
from playdock.fetching.requests import Deadline, Request
from playdock.fetching.web import Fetcher
from playdock.kit.messages import Message
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import GameMetadata, ImageOffer, ReleaseDate, Role
from playdock.metadata.provider_client import ProviderClient
from playdock.metadata.provider_store import ProviderStore
from playdock.metadata.providers import Capability, Manual, Match, Providers, SearchOutcome, SearchResult
from playdock.metadata.rate_limit import RateLimit

_CLOSED = ProviderError(Message("provider-wrong-key", provider="It"))
_TIMEOUT_SECONDS = 120.0
DOOM = GameMetadata(
    "Doom",
    short="A marine on Mars.",
    released=ReleaseDate(date(1993, 12, 10)),
    pictures=(ImageOffer(Role.BANNER, "http://localhost/banner"), ImageOffer(Role.COVER, "http://localhost/cover")),
)


def nothing(query: str, within: Deadline) -> Sequence[SearchResult]:
    return ()


@dataclass
class Fake:
    """A provider whose results a test determines."""

    source_id: str
    results: Callable[[str, Deadline], Sequence[SearchResult]] = nothing
    games: Mapping[str, GameMetadata] = field(default_factory=dict)
    capabilities: frozenset[Capability] = frozenset((Capability.SEARCH, Capability.FETCH))
    searched: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"The {self.source_id}"

    def recognize(self, query: str) -> str | None:
        game_id = query.removeprefix(f"https://{self.source_id}.example/")
        return game_id if game_id.isdecimal() else None

    def search(self, query: str, *, within: Deadline) -> Sequence[SearchResult]:
        self.searched.append(query)
        return self.results(query, within)

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameMetadata]:
        return {each: self.games[each] for each in ids if each in self.games}

    def pictures(self, game: GameMetadata, *, within: Deadline) -> Sequence[ImageOffer]:
        return ()

    def download(self, offer: ImageOffer, *, within: Deadline) -> bytes:
        return b""


def finding(source_id: str, *names: str) -> Fake:
    results = [SearchResult(str(number), name) for number, name in enumerate(names, 1)]
    return Fake(source_id, lambda query, within: results)


def failing(source_id: str, fault: BaseException) -> Fake:
    def fail(query: str, within: Deadline) -> Sequence[SearchResult]:
        raise fault

    return Fake(source_id, fail)


def summary(outcome: SearchOutcome) -> list[tuple[str, str]]:
    return [(match.reference.source_id, match.reference.name) for match in outcome.matches]


def found_by(provider: Fake, query: str) -> list[Match]:
    return Providers([provider]).search(query).matches


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """An event that ends hanging providers at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def test_results_of_all_providers_are_sorted_by_similarity() -> None:
    outcome = Providers([finding("one", "Doom II", "Doom Demo"), finding("two", "Doomsday", "DOOM")]).search("Doom")

    assert summary(outcome) == [("two", "DOOM"), ("one", "Doom II"), ("two", "Doomsday"), ("one", "Doom Demo")]
    assert (outcome.errors, outcome.searched, outcome.failed) == ({}, 2, False)


def test_equal_results_have_the_order_of_the_providers_not_of_their_responses() -> None:
    second_answered = threading.Event()

    def late(query: str, within: Deadline) -> Sequence[SearchResult]:
        second_answered.wait(_TIMEOUT_SECONDS)
        return [SearchResult("1", "Doom"), SearchResult("2", "Doom")]

    def early(query: str, within: Deadline) -> Sequence[SearchResult]:
        second_answered.set()
        return [SearchResult("3", "Doom")]

    matches = Providers([Fake("one", late), Fake("two", early)]).search("Doom").matches

    assert [match.reference.id for match in matches] == ["1", "2", "3"]


def test_providers_are_searched_concurrently() -> None:
    together = threading.Barrier(4)

    def wait_for_both(query: str, within: Deadline) -> Sequence[SearchResult]:
        together.wait(_TIMEOUT_SECONDS)
        return [SearchResult("1", query)]

    outcome = Providers([Fake(str(number), wait_for_both) for number in range(4)]).search("Doom")

    assert (len(outcome.matches), outcome.errors) == (4, {})


def test_every_provider_gets_the_deadline() -> None:
    def record(query: str, within: Deadline) -> Sequence[SearchResult]:
        return [SearchResult("1", "soon" if 0 < within.left <= 5 else "whenever")]

    assert summary(Providers([Fake("one", record)]).search("Doom", seconds=5)) == [("one", "soon")]


def test_a_provider_that_hangs_is_reported_as_failed(released: threading.Event) -> None:
    def hang(query: str, within: Deadline) -> Sequence[SearchResult]:
        released.wait(_TIMEOUT_SECONDS)
        return ()

    with capture_logs() as logs:
        outcome = Providers([Fake("one", hang), finding("two", "Doom")]).search("Doom", seconds=0.1)

    assert (summary(outcome), outcome.errors) == ([("two", "Doom")], {"one": "The one did not respond in time."})
    assert [(line["provider"], line["reason"]) for line in logs] == [("one", "The one did not respond in time.")]


def test_a_failed_provider_is_reported_with_the_reason() -> None:
    with capture_logs() as logs:
        outcome = Providers([failing("one", _CLOSED), finding("two", "Doom")]).search("Doom")

    reason = "It rejected the API key."
    assert (summary(outcome), outcome.errors, outcome.failed) == ([("two", "Doom")], {"one": reason}, False)
    assert logs == [{"event": "provider failed", "provider": "one", "reason": reason, "log_level": "warning"}]


@pytest.mark.parametrize("fault", [ValueError("secret"), KeyError("secret"), RecursionError(), SystemExit(1)])
def test_any_exception_of_a_provider_affects_only_its_own_results(fault: BaseException) -> None:
    with capture_logs() as logs:
        outcome = Providers([failing("one", fault), finding("two", "Doom")]).search("Doom")

    assert summary(outcome) == [("two", "Doom")]
    assert outcome.errors == {"one": "The one sent an unexpected response."}
    assert [line["exc_info"] for line in logs] == [fault]


def test_failure_of_all_providers_differs_from_no_results() -> None:
    assert Providers([failing("one", _CLOSED), failing("two", _CLOSED)]).search("Doom").failed
    assert not Providers([failing("one", _CLOSED), finding("two")]).search("Doom").failed
    assert not Providers([finding("one")]).search("Doom").failed


def test_without_providers_nothing_is_found() -> None:
    outcome = Providers([Manual()]).search("Doom")

    assert (outcome.matches, outcome.searched, outcome.failed) == ([], 0, False)


def test_a_provider_without_search_is_not_searched() -> None:
    pictures = Fake("one", capabilities=frozenset([Capability.PICTURES]))
    providers = Providers([pictures, finding("two", "Doom"), Manual()])

    assert (providers.search("Doom").searched, pictures.searched) == (1, [])
    assert providers.with_capability(Capability.PICTURES) == [pictures]
    assert (providers.find("one"), providers.find("ONE")) == (pictures, None)


def test_an_id_finds_its_game_and_games_of_that_name() -> None:
    shop = Fake("shop", lambda query, within: [SearchResult("7", "1942"), SearchResult("1942", "Doom")], {"1942": DOOM})

    first, second = found_by(shop, "1942")

    assert (first.reference.id, first.reference.name, first.similarity) == ("1942", "Doom", 1)
    assert (first.source_name, first.description, first.year) == ("The shop", "A marine on Mars.", 1993)
    assert first.icon == "http://localhost/cover"
    assert (second.reference.id, second.similarity) == ("7", 1)


def test_the_url_of_a_page_finds_only_that_game() -> None:
    shop, wiki = Fake("shop", games={"7": DOOM}), finding("wiki", "Doom")

    outcome = Providers([shop, wiki]).search("https://shop.example/7")

    assert summary(outcome) == [("shop", "Doom")]
    assert (shop.searched, wiki.searched) == ([], [])


def test_an_unknown_id_is_searched_as_a_name() -> None:
    assert [match.reference.id for match in found_by(finding("shop", "2048"), "2048")] == ["1"]


def test_an_id_is_ignored_by_a_provider_that_cannot_fetch() -> None:
    shop = finding("shop", "2048")
    shop.games, shop.capabilities = {"2048": DOOM}, frozenset([Capability.SEARCH])

    assert [match.reference.name for match in found_by(shop, "2048")] == ["2048"]


def test_a_game_found_by_id_is_not_repeated(
    web: Fetcher, provider_store: ProviderStore, clock: StillClock, server: Loopback
) -> None:
    address = server.on("/search", answer(b'["Doom"]'))
    client = ProviderClient(
        "shop", "The shop", web, provider_store, (address,), (), RateLimit(1, 60), "Playdock/1", sleep=clock.sleep
    )

    def send(query: str, within: Deadline) -> Sequence[SearchResult]:
        names = client.json(Request(f"{address}?q={query}"), within=within, cache_for=timedelta(days=1))
        return [SearchResult(name, name) for name in names]

    providers = Providers([Fake("shop", send)])

    assert summary(providers.search("Doom")) == summary(providers.search("Doom")) == [("shop", "Doom")]
    assert len(server.requests_received) == 1


def test_a_name_with_a_typing_error_finds_the_game() -> None:
    def results(query: str, within: Deadline) -> Sequence[SearchResult]:
        known = [SearchResult("1", "Hollow Knight"), SearchResult("2", "Hollow Bodies")]
        return [each for each in known if query.lower() in each.name.lower()]

    shop = Fake("shop", results)

    outcome = Providers([shop]).search("Hollow Knigt")

    assert [match.reference.id for match in outcome.matches] == ["1"]
    assert shop.searched == ["Hollow Knigt", "hollow"]


def test_a_failure_of_the_search_for_a_part_of_a_name_is_no_error() -> None:
    def results(query: str, within: Deadline) -> Sequence[SearchResult]:
        if query != "Doomed Isle":
            raise _CLOSED
        return [SearchResult("1", "Doom Island Adventure")]

    outcome = Providers([Fake("shop", results)]).search("Doomed Isle")

    assert ([match.reference.id for match in outcome.matches], outcome.errors) == (["1"], {})
