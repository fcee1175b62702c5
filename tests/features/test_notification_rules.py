"""Whom an event concerns, what a notification says, and when events are announced."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from playdock import stored_events
from playdock.domain.events.rules import GATHERED, MAX_GATHERING, EventType, withheld
from playdock.features.notifications import rules
from playdock.features.notifications.rules import Occurrence, Recipient, content_of, notices
from playdock.stored import StoredPreferences
from playdock.stored_events import StoredMessage

NOW = datetime(2026, 11, 23, tzinfo=UTC)
TAGS = {"portal": {"puzzle"}, "doom": {"shooter"}}


def added(
    number: int, game: str = "portal", platform: str = "Linux", kind: EventType = EventType.GAME_ADDED
) -> Occurrence:
    data = stored_events.VersionEvent(
        game=game, game_name=game.title(), version=f"v{number}", version_name="1.0", platform=platform
    )
    return Occurrence(number, kind, data)


def failed(number: int) -> Occurrence:
    name, reason = StoredMessage(text=f"Import {number}"), StoredMessage(text="The disk is full.", code="disk-full")
    return Occurrence(
        number,
        EventType.TASK_FAILED,
        stored_events.TaskEvent(task=f"t{number}", task_type="import:version", name=name, reason=reason),
    )


def person(user: str = "bob", *, admin: bool = False, **wanted: tuple[str, ...]) -> Recipient:
    return Recipient(user, admin, StoredPreferences(**wanted), {"portal": {"Linux"}})


@pytest.mark.parametrize(
    ("event", "recipient", "expected"),
    [
        (added(1), person(), True),
        (added(1), person(platforms=("Linux",)), True),
        (added(1), person(platforms=("Windows",)), False),
        (added(1), person(tags=("puzzle", "racing")), True),
        (added(1), person(tags=("racing",)), False),
        (added(1), person(platforms=("Windows",), tags=("puzzle",)), False),
        (added(1, kind=EventType.VERSION_ADDED), person(), True),
        (added(1, kind=EventType.VERSION_ADDED), person(platforms=("Windows",)), True),
        (added(1, kind=EventType.VERSION_ADDED, platform="Windows"), person(), False),
        (added(1, kind=EventType.VERSION_ADDED, game="doom"), person(), False),
        (added(1, kind=EventType.VERSION_DAMAGED), person(), False),
        (added(1, kind=EventType.VERSION_DAMAGED), person(admin=True), True),
        (failed(1), person(), False),
        (failed(1), person(admin=True), True),
    ],
)
def test_an_event_concerns_those_who_are_interested(event: Occurrence, recipient: Recipient, *, expected: bool) -> None:
    assert rules.concerns(event, recipient, TAGS) is expected


def test_events_of_one_type_become_one_notification_for_each_person() -> None:
    events = [*(added(number, f"game {number}") for number in range(50)), failed(50), failed(51)]
    people = [person("ada", admin=True), person("bob"), person("eve", muted=("game.added",))]

    found = list(notices(events, people, {}, batch="b"))

    written = {(user, each.nonce): str(each.content.title) for each in found for user in each.user_ids}
    assert [each.muted_by for each in found if each.muted_by] == [{"eve"}]
    assert written == {
        ("eve", "b:game.added"): "50 new games",
        ("ada", "b:game.added"): "50 new games",
        ("ada", "b:task.failed"): "2 tasks failed",
        ("bob", "b:game.added"): "50 new games",
    }


@pytest.mark.parametrize(
    ("events", "title", "description", "link"),
    [
        ([added(1)], "Portal is available", "For Linux.", "/games/portal"),
        ([added(1), added(2, platform="Windows")], "Portal is available", "For Windows.", "/games/portal"),
        ([added(1), added(2, "doom")], "2 new games", "Portal, Doom", "/store"),
        ([added(1, kind=EventType.VERSION_ADDED)], "Portal 1.0 is available", "For Linux.", "/games/portal"),
        (
            [added(number, f"g{number}", kind=EventType.VERSION_ADDED) for number in range(7)],
            "7 updates",
            "G0 1.0, G1 1.0, G2 1.0, G3 1.0, G4 1.0 and 2 more",
            "/library",
        ),
        ([added(1, kind=EventType.VERSION_DAMAGED)], "1 version is damaged", "Portal 1.0", "/admin/damage"),
        (
            [added(1, kind=EventType.VERSION_MISSING)],
            "The files of 1 version are gone",
            "Portal 1.0",
            "/admin/damage/moved",
        ),
        ([failed(1)], "Failed: Import 1", "The disk is full.", "/admin/tasks/t1"),
        ([failed(1), failed(2)], "2 tasks failed", "Import 1, Import 2", "/admin/tasks"),
        (
            [
                Occurrence(
                    1,
                    EventType.FOLDERS_FOUND,
                    stored_events.FoldersEvent(library="l", library_name="Games", count=3, folders=("A", "B")),
                )
            ],
            "3 new folders to import",
            "A, B and 1 more",
            "/admin/import",
        ),
        (
            [Occurrence(1, EventType.DISK_LOW, stored_events.SpaceEvent(reason=StoredMessage(text="3 GiB free.")))],
            "The server is running out of disk space",
            "3 GiB free.",
            "/admin",
        ),
    ],
)
def test_a_notification_says_what_has_happened(
    events: list[Occurrence], title: str, description: str, link: str
) -> None:
    content = content_of(events)
    assert (str(content.title), str(content.description), content.link) == (title, description, link)


@pytest.mark.parametrize(
    ("importing", "waited", "expected"),
    [
        (False, timedelta(), frozenset()),
        (True, timedelta(), GATHERED),
        (True, MAX_GATHERING - timedelta(seconds=1), GATHERED),
        (True, MAX_GATHERING, frozenset()),
    ],
)
def test_what_imports_cause_waits_for_their_end_but_not_for_long(
    waited: timedelta, expected: frozenset[EventType], *, importing: bool
) -> None:
    assert withheld(importing=importing, oldest=NOW - waited, now=NOW) == expected
    assert not {EventType.DISK_LOW, EventType.VERSION_DAMAGED} & GATHERED


@given(st.text() | st.integers(min_value=-(2**70), max_value=2**70).map(str))
def test_an_id_stands_for_a_number_that_databases_have_or_for_none(text: str) -> None:
    number = rules.number_of(text)
    assert 0 <= number < 2**63
    assert number == 0 or int(text) == number


@pytest.mark.parametrize(
    ("count", "imported", "left"),
    [
        (2, set(), (2, ("A", "B"))),
        (2, {"A", "unrelated"}, (1, ("B",))),
        (2, {"A", "B"}, None),
        (30, {"A", *map(str, range(9))}, (19, ("B",))),
        (30, set(map(str, range(50))) | {"A", "B"}, None),
    ],
)
def test_folders_that_a_rule_has_imported_are_not_announced(
    count: int, imported: set[str], left: tuple[int, tuple[str, ...]] | None
) -> None:
    found = rules.still_new(
        stored_events.FoldersEvent(library="l", library_name="Games", count=count, folders=("A", "B")), imported
    )
    assert (found and (found.count, found.folders)) == left


@pytest.mark.parametrize(
    ("name", "label", "title", "several"),
    [
        ("1.1", "1.1", "Doom 1.1 is available", "Doom 1.1"),
        ("Doom 1.1 (GOG)", "1.1 (GOG)", "Doom 1.1 (GOG) is available", "Doom 1.1 (GOG)"),
        ("nightly", "", "Doom nightly is available", "Doom nightly"),
        ("default", "", "An update of Doom is available", "Doom"),
    ],
)
def test_a_version_is_called_what_the_pages_call_it(name: str, label: str, title: str, several: str) -> None:
    event = stored_events.VersionEvent(
        game="d", game_name="Doom", version="v", version_name=name, platform="Linux", label=label
    )
    assert str(content_of([Occurrence(1, EventType.VERSION_ADDED, event)]).title) == title
    assert str(content_of([Occurrence(1, EventType.VERSION_DAMAGED, event)]).description) == several


@pytest.mark.parametrize(
    ("muted", "title"), [((), "Doom is available"), (("request.done",), "2 new games")], ids=["both", "muted"]
)
def test_who_has_requested_a_game_is_told_of_it_once(muted: tuple[str, ...], title: str) -> None:
    done = stored_events.RequestEvent(request="r", name="Portal", status="done", game="portal")
    events = [added(1, "portal"), added(2, "doom"), Occurrence(3, EventType.REQUEST_DONE, done)]
    wants = replace(person(muted=muted), requests=("r",))
    found = {each.content.event_type: str(each.content.title) for each in notices(events, [wants], {}, batch="b")}
    assert found[EventType.GAME_ADDED] == title
    assert found.keys() == {EventType.GAME_ADDED, EventType.REQUEST_DONE}
