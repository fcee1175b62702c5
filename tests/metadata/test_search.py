"""Asking all providers at once: what arrives is shown, and who fails costs only their own part."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import pytest
from structlog.testing import capture_logs

from clocks import StillClock
from loopback import Loopback, answer
from playdock.fetching.web import Deadline, Request, Web
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import Desk
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import GameFacts, PictureOffer, ReleaseDate, Role
from playdock.metadata.ledger import Ledger
from playdock.metadata.providers import Ability, Found, Manual, Match, Outcome, Providers

_PATIENCE = 30.0
DOOM = GameFacts(
    "Doom",
    short="A marine on Mars.",
    released=ReleaseDate(date(1993, 12, 10)),
    pictures=(PictureOffer(Role.BANNER, "http://localhost/banner"), PictureOffer(Role.COVER, "http://localhost/cover")),
)


def nothing(query: str, within: Deadline) -> Sequence[Found]:
    return ()


@dataclass
class Fake:
    """A provider that finds what a test says."""

    source_id: str
    found: Callable[[str, Deadline], Sequence[Found]] = nothing
    games: Mapping[str, GameFacts] = field(default_factory=dict)
    can: frozenset[Ability] = frozenset((Ability.SEARCH, Ability.FETCH))
    asked: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"The {self.source_id}"

    def recognise(self, query: str) -> str | None:
        game_id = query.removeprefix(f"https://{self.source_id}.example/")
        return game_id if game_id.isdecimal() else None

    def search(self, query: str, *, within: Deadline) -> Sequence[Found]:
        self.asked.append(query)
        return self.found(query, within)

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameFacts]:
        return {each: self.games[each] for each in ids if each in self.games}

    def pictures(self, facts: GameFacts, *, within: Deadline) -> Sequence[PictureOffer]:
        return ()

    def download(self, offer: PictureOffer, *, within: Deadline) -> bytes:
        return b""


def finding(source_id: str, *names: str) -> Fake:
    found = [Found(str(number), name) for number, name in enumerate(names, 1)]
    return Fake(source_id, lambda query, within: found)


def failing(source_id: str, fault: BaseException) -> Fake:
    def fail(query: str, within: Deadline) -> Sequence[Found]:
        raise fault

    return Fake(source_id, fail)


def shown(outcome: Outcome) -> list[tuple[str, str]]:
    return [(match.reference.source_id, match.reference.name) for match in outcome.matches]


def found_by(provider: Fake, query: str) -> list[Match]:
    return Providers([provider]).search(query).matches


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """Lets those go in the end who hang."""
    event = threading.Event()
    yield event
    event.set()


def test_what_all_found_is_shown_the_likeliest_first() -> None:
    outcome = Providers([finding("one", "Doom II", "Doom Demo"), finding("two", "Doomsday", "DOOM")]).search("Doom")

    assert shown(outcome) == [("two", "DOOM"), ("one", "Doom II"), ("two", "Doomsday"), ("one", "Doom Demo")]
    assert (outcome.faults, outcome.asked, outcome.failed) == ({}, 2, False)


def test_equals_stand_in_the_order_of_the_providers_whoever_is_first_to_answer() -> None:
    second_answered = threading.Event()

    def late(query: str, within: Deadline) -> Sequence[Found]:
        second_answered.wait(_PATIENCE)
        return [Found("1", "Doom"), Found("2", "Doom")]

    def early(query: str, within: Deadline) -> Sequence[Found]:
        second_answered.set()
        return [Found("3", "Doom")]

    matches = Providers([Fake("one", late), Fake("two", early)]).search("Doom").matches

    assert [match.reference.id for match in matches] == ["1", "2", "3"]


def test_all_are_asked_at_once() -> None:
    together = threading.Barrier(4)

    def meet(query: str, within: Deadline) -> Sequence[Found]:
        together.wait(_PATIENCE)
        return [Found("1", query)]

    outcome = Providers([Fake(str(number), meet) for number in range(4)]).search("Doom")

    assert (len(outcome.matches), outcome.faults) == (4, {})


def test_everybody_is_told_how_long_they_have() -> None:
    def tell(query: str, within: Deadline) -> Sequence[Found]:
        return [Found("1", "soon" if 0 < within.left <= 5 else "whenever")]

    assert shown(Providers([Fake("one", tell)]).search("Doom", seconds=5)) == [("one", "soon")]


def test_who_hangs_is_left_behind(released: threading.Event) -> None:
    def hang(query: str, within: Deadline) -> Sequence[Found]:
        released.wait(_PATIENCE)
        return ()

    with capture_logs() as logs:
        outcome = Providers([Fake("one", hang), finding("two", "Doom")]).search("Doom", seconds=0.1)

    assert (shown(outcome), outcome.faults) == ([("two", "Doom")], {"one": "The one did not answer in time."})
    assert [(line["provider"], line["reason"]) for line in logs] == [("one", "The one did not answer in time.")]


def test_who_fails_is_left_out_and_the_reason_told() -> None:
    with capture_logs() as logs:
        outcome = Providers([failing("one", ProviderFault("One", "is closed")), finding("two", "Doom")]).search("Doom")

    assert (shown(outcome), outcome.faults, outcome.failed) == ([("two", "Doom")], {"one": "One is closed."}, False)
    assert logs == [{"event": "provider failed", "provider": "one", "reason": "One is closed.", "log_level": "warning"}]


@pytest.mark.parametrize("fault", [ValueError("secret"), KeyError("secret"), RecursionError(), SystemExit(1)])
def test_whatever_a_provider_raises_costs_only_its_own_part(fault: BaseException) -> None:
    with capture_logs() as logs:
        outcome = Providers([failing("one", fault), finding("two", "Doom")]).search("Doom")

    assert shown(outcome) == [("two", "Doom")]
    assert outcome.faults == {"one": "The one answered with something unexpected."}
    assert [line["exc_info"] for line in logs] == [fault]


def test_all_failing_is_told_from_finding_nothing() -> None:
    away = ProviderFault("It", "is closed")

    assert Providers([failing("one", away), failing("two", away)]).search("Doom").failed
    assert not Providers([failing("one", away), finding("two")]).search("Doom").failed
    assert not Providers([finding("one")]).search("Doom").failed


def test_with_nobody_to_ask_nothing_is_found() -> None:
    outcome = Providers([Manual()]).search("Doom")

    assert (outcome.matches, outcome.asked, outcome.failed) == ([], 0, False)


def test_who_cannot_search_is_not_asked() -> None:
    pictures = Fake("one", can=frozenset([Ability.PICTURES]))
    providers = Providers([pictures, finding("two", "Doom"), Manual()])

    assert (providers.search("Doom").asked, pictures.asked) == (1, [])
    assert providers.able(Ability.PICTURES) == [pictures]
    assert (providers.find("one"), providers.find("ONE")) == (pictures, None)


def test_an_id_finds_its_game_and_those_of_that_name() -> None:
    shop = Fake("shop", lambda query, within: [Found("7", "1942"), Found("1942", "Doom")], {"1942": DOOM})

    first, second = found_by(shop, "1942")

    assert (first.reference.id, first.reference.name, first.likeness) == ("1942", "Doom", 1)
    assert (first.source_name, first.description, first.year) == ("The shop", "A marine on Mars.", 1993)
    assert first.icon == "http://localhost/cover"
    assert (second.reference.id, second.likeness) == ("7", 1)


def test_the_address_of_a_page_finds_that_game_alone() -> None:
    shop, wiki = Fake("shop", games={"7": DOOM}), finding("wiki", "Doom")

    outcome = Providers([shop, wiki]).search("https://shop.example/7")

    assert shown(outcome) == [("shop", "Doom")]
    assert (shop.asked, wiki.asked) == ([], [])


def test_an_id_that_nobody_knows_is_looked_for_as_a_name() -> None:
    assert [match.reference.id for match in found_by(finding("shop", "2048"), "2048")] == ["1"]


def test_an_id_is_of_no_use_to_who_cannot_tell_of_it() -> None:
    shop = finding("shop", "2048")
    shop.games, shop.can = {"2048": DOOM}, frozenset([Ability.SEARCH])

    assert [match.reference.name for match in found_by(shop, "2048")] == ["2048"]


def test_what_is_found_again_is_not_asked_for_again(
    web: Web, ledger: Ledger, clock: StillClock, server: Loopback
) -> None:
    address = server.on("/search", answer(b'["Doom"]'))
    desk = Desk("shop", "The shop", web, ledger, (address,), (), Allowance(1, 60), "Playdock/1", sleep=clock.sleep)

    def ask(query: str, within: Deadline) -> Sequence[Found]:
        names = desk.json(Request(f"{address}?q={query}"), within=within, keep=timedelta(days=1))
        return [Found(name, name) for name in names]

    providers = Providers([Fake("shop", ask)])

    assert shown(providers.search("Doom")) == shown(providers.search("Doom")) == [("shop", "Doom")]
    assert len(server.heard) == 1
