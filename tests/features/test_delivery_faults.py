"""Messages are neither lost nor repeated, whatever is killed or unavailable."""

import tracemalloc
from typing import Any, Self

import pytest

from mail_server import MailServer
from mailing import PATH, SENDER, announce, configure, deliver, finish, notify, subscribe, waiting
from playdock.features.delivery import queries, rules, tasks
from playdock.features.delivery.rules import DeliveryChannel, Letter
from playdock.features.notifications.matters import is_settled
from playdock.models import Notification
from playdock.stored import StoredDelivery
from world import Caller, World


@pytest.mark.both_databases
def test_a_message_is_repeated_with_the_same_id_only_if_the_process_is_killed_before_it_records_it(
    world: World, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe(world, world.admin(), mail)
    notify(world)
    removed, kills = queries.remove_message, iter([True])

    def kill_once(session: Any, message: str) -> None:
        removed(session, message)
        if next(kills, False):
            raise RuntimeError("killed")

    monkeypatch.setattr(queries, "remove_message", kill_once)
    failed = deliver(world)
    assert failed is not None
    assert not failed.success
    # The next one to look finds it only after a pause, in which the first one may still be alive.
    world.clock.advance(seconds=30)
    with world.services.db.read() as session:
        assert not queries.any_due(session, DeliveryChannel.EMAIL, at=world.clock())
    world.clock.advance(minutes=16)

    deliver(world)
    deliver(world)

    assert len({each["Message-ID"] for each in mail.accepted}) == 1
    assert len(mail.accepted) == 2
    assert waiting(world) == 0


def test_a_killed_process_that_had_not_sent_anything_sends_it_once(
    world: World, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe(world, world.admin(), mail)
    notify(world)
    with monkeypatch.context() as patch:
        patch.setattr(tasks.Deliver, "_letter", lambda *_: 1 / 0)
        deliver(world)
    world.clock.advance(minutes=20)
    deliver(world)
    assert (len(mail.accepted), waiting(world)) == (1, 0)


def test_messages_wait_for_a_server_that_is_away(world: World, mail: MailServer) -> None:
    ada = world.admin()
    subscribe(world, ada, mail)
    notify(world)
    configure(world, smtp_port="1")
    failed = deliver(world)
    assert failed is not None
    assert (failed.success, failed.retries > 0) == (False, True)
    found = health(ada, "Email")
    assert found is not None
    assert (found["state"], found["detailCode"]) == ("warning", "delivery-retried")
    configure(world, smtp_port=str(mail.port))

    world.clock.advance(minutes=15)
    world.services.deliveries.notify_runner()
    while waiting(world):
        finish(world, "deliver:email")
    assert len(mail.accepted) == 1


def test_admins_learn_in_the_app_that_the_password_is_wrong(world: World, mail: MailServer) -> None:
    # Once a day.
    world.clock.advance_to_noon()
    ada = world.admin()
    subscribe(world, ada, mail)
    notify(world)
    mail.password = "right"
    configure(world, smtp_user="games", smtp_password="wrong")
    for _ in range(2):
        failed = deliver(world)
        assert failed is not None
        assert failed.error_code == "mail-password-refused"
        announce(world)
        world.clock.advance(minutes=16)
    told = [each for each in ada.get(PATH).json() if "Send notifications by email" in each["title"]]
    assert [each["read"] for each in told] == [False]

    configure(world, smtp_password="right")
    deliver(world)
    assert len(mail.accepted) == 1
    [told] = [each for each in ada.get(PATH).json() if "Send notifications by email" in each["title"]]
    assert told["read"]


@pytest.mark.both_databases
def test_the_health_check_shows_how_the_last_delivery_ended(world: World, mail: MailServer) -> None:
    ada = world.admin()
    subscribe(world, ada, mail)
    assert health(ada, "Email") is None
    notify(world)
    mail.password = "right"
    configure(world, smtp_user="games", smtp_password="wrong")
    deliver(world)
    found = health(ada, "Email")
    assert found is not None
    assert (found["state"], found["detailCode"]) == ("bad", "delivery-failed")
    assert found["detailParameters"]["reason"]["code"] == "mail-password-refused"

    configure(world, smtp_password="right")
    world.clock.advance(minutes=16)
    deliver(world)
    found = health(ada, "Email")
    assert found is not None
    assert (found["state"], found["detailCode"]) == ("good", "delivery-succeeded")
    configure(world, smtp_server="")
    assert health(ada, "Email") is None


def health(admin: Caller, name: str) -> dict[str, Any] | None:
    checks = admin.get("/api/v1/admin/statistics").json()["health"]["checks"]
    return next((each for each in checks if each["name"] == name), None)


@pytest.mark.parametrize(("answer", "arrives"), [("550 No such user", False), ("450 Greylisted", True)])
def test_a_refused_recipient_delays_only_their_message(
    world: World, mail: MailServer, answer: str, *, arrives: bool
) -> None:
    for name in ("ada", "bob"):
        subscribe(world, world.admin(name), mail)
    notify(world)
    mail.to_recipient, mail.refused = answer, "ada@example.org"
    first = deliver(world)
    assert first is not None
    assert first.success
    assert [str(each["To"]) for each in mail.accepted] == ["bob@example.org"]
    mail.to_recipient = "250 OK"
    world.clock.advance(minutes=2)
    deliver(world)
    assert (len(mail.accepted), waiting(world)) == (1 + arrives, 0)


def test_a_message_that_the_server_never_confirms_is_sent_a_few_times(
    world: World, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MAX_ATTEMPTS", 2)
    subscribe(world, world.admin(), mail)
    notify(world)
    mail.to_data = ""
    for _ in range(3):
        ended = deliver(world)
        assert ended is not None
        assert ended.success
        world.clock.advance(hours=7)
    assert (len(mail.accepted), waiting(world)) == (2, 0)
    assert len({each["Message-ID"] for each in mail.accepted}) == 1


def test_what_waits_too_long_is_dropped(world: World, mail: MailServer) -> None:
    ada, bob = world.admin(), world.admin("bob")
    subscribe(world, ada, mail)
    subscribe(world, bob, mail)
    notify(world)
    world.clock.advance(days=8)
    deliver(world)
    assert (mail.accepted, waiting(world)) == ([], 0)


def test_ten_thousand_deliveries_need_little_memory(world: World) -> None:
    ada, at = world.admin(), world.clock()
    rows = {"event_type": "disk.low", "title_code": "x", "title_parameters": {}, "description_parameters": {}}
    texts = {"title": "t" * 1000, "description": "d" * 1000, "link": "/", "created": at, "read": False}
    with world.services.db.write() as session:
        queries.put_preferences(session, ada.user["id"], StoredDelivery(channels={"email": ("disk.low",)}))
        queries.set_verified(session, ada.user["id"], "ada@example.org")
        session.bulk_insert_mappings(
            Notification.__mapper__,
            [{"id": n, "user_id": ada.user["id"], "nonce": str(n), **rows, **texts} for n in range(1, 10_001)],
        )
        queries.add(
            session,
            [
                {"notification_id": n, "user_id": ada.user["id"], "channel": "email", "created": at, "due": at}
                for n in range(1, 10_001)
            ],
        )
    sent: list[Letter] = []

    class Sends:
        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            return None

        def send(self, letter: Letter) -> None:
            sent.append(letter)

    handler = world.services.runner._registry["deliver:email"]
    assert isinstance(handler, tasks.Deliver)
    world.services.runner._registry._handlers["deliver:email"] = tasks.Deliver(handler.channel, Sends, is_settled)
    configure(world, smtp_server="127.0.0.1", smtp_from=SENDER)
    tracemalloc.start()
    try:
        deliver(world)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    [letter] = sent
    assert (letter.total, len(letter.items), waiting(world)) == (10_000, 20, 0)
    # The texts alone are 20 MB.
    assert peak < 5_000_000
