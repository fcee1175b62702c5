"""Notifications by email: from the event to the mailbox, once, when the person wants them."""

import re
import tracemalloc
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Self

import pytest

from mail_server import MailServer, mail_server
from playdock.domain.events import queries as event_queries
from playdock.domain.events.rules import EventType
from playdock.features.delivery import queries, tasks
from playdock.features.delivery.rules import Letter
from playdock.features.notifications.service import ANNOUNCE
from playdock.kit.messages import Message
from playdock.models import Delivery, Notification, Task
from playdock.stored import FoldersEvent, StoredDelivery
from world import Caller, World

PATH = "/api/v1/notifications"
DELIVERY = f"{PATH}/delivery"
SENDER = "games@example.org"
CHOICE: dict[str, Any] = {
    "email": ["disk.low", "folders.found"],
    "quietFrom": "",
    "quietUntil": "",
    "digestAt": "",
    "timeZone": "UTC",
    "language": "en",
}


@pytest.fixture
def mail(world: World) -> Iterator[MailServer]:
    """A mail server that the world uses."""
    with mail_server() as state:
        configure(world, smtp_server="127.0.0.1", smtp_port=str(state.port), smtp_tls="none", smtp_from=SENDER)
        yield state


def configure(world: World, **values: str) -> None:
    """Change settings as an administrator does."""
    with world.services.db.write() as session:
        world.services.server_settings.store(session, values)
    world.services.server_settings.refresh()


def link_in(message: Any, path: str) -> str:
    text = message.get_body(("plain",)).get_content()
    found = re.search(rf"\S+{re.escape(path)}\?token=(\S+)", text)
    assert found, text
    return found.group(1)


def subscribe(world: World, caller: Caller, mail: MailServer, **wanted: Any) -> None:
    """Choose what is sent, and confirm the address with the link that arrives there."""
    changed = caller.request("PUT", DELIVERY, json={**CHOICE, **wanted})
    assert changed.status_code == 204, changed.text
    sent = caller.post(f"{DELIVERY}/verification", {"language": wanted.get("language", "en")})
    assert sent.status_code == 204, sent.text
    message = mail.accepted.pop()
    assert world.any_user().post(f"{PATH}/verify", {"token": link_in(message, "/auth/email")}).status_code == 204


def finish(world: World, task_type: str) -> Task | None:
    """Wait until the newest task of a type has ended, or waits for its next attempt."""
    while True:
        with world.services.db.read() as session:
            newest = session.query(Task).filter_by(task_group=task_type).order_by(Task.created.desc()).first()
        if newest is None or newest.ended or (newest.worker_id is None and newest.retries):
            return newest


def notify(world: World, *folders: str) -> None:
    """Write notifications: about each folder, or that the disk is full."""
    for name in folders:
        with world.services.db.write() as session:
            data = FoldersEvent(library="l", library_name="Games", count=1, folders=(name,))
            event_queries.add(session, EventType.FOLDERS_FOUND, data, nonce=name, at=world.clock())
    if not folders:
        with world.services.db.write() as session:
            event_queries.add_low_space(session, Message("space-low", size=3), at=world.clock())
    world.services.announcements.start_due()
    announced = finish(world, ANNOUNCE)
    assert announced is not None
    assert announced.success


def deliver(world: World) -> Task | None:
    """Send what is due, as the runner does each minute."""
    world.services.deliveries.start_due()
    return finish(world, "deliver:email")


def waiting(world: World) -> int:
    with world.services.db.read() as session:
        return session.query(Delivery).count()


def test_a_notification_is_sent_by_email_once_the_address_is_confirmed(world: World, mail: MailServer) -> None:
    ada = world.admin()
    assert ada.request("PUT", DELIVERY, json=CHOICE).status_code == 204
    notify(world, "Doom")
    assert (deliver(world), mail.accepted) == (None, [])
    subscribe(world, ada, mail)
    state = ada.get(DELIVERY).json()
    assert state["emailAddress"] == {"address": "ada@example.org", "isVerified": True, "isAvailable": True}

    notify(world)
    assert deliver(world)
    deliver(world)

    [message] = mail.accepted
    assert mail.recipients == ["ada@example.org"] * 2
    assert (message["To"], message["Subject"]) == ("ada@example.org", "The server is running out of disk space")
    assert message["From"].addresses[0].addr_spec == SENDER
    assert message["Auto-Submitted"] == "auto-generated"
    text = message.get_body(("plain",)).get_content()
    html = message.get_body(("html",)).get_content()
    link = f"{world.services.settings.address}/admin"
    assert link in text
    assert f'href="{link}"' in html
    assert waiting(world) == 0
    # What is off in the app, or not selected for email, is not sent.
    assert ada.request("PUT", DELIVERY, json={**CHOICE, "email": ["folders.found"]}).status_code == 204
    world.clock.advance(days=1)
    notify(world)
    assert waiting(world) == 0


def test_one_click_stops_all_email(world: World, mail: MailServer) -> None:
    ada = world.admin()
    subscribe(world, ada, mail)
    notify(world)
    deliver(world)
    [message] = mail.accepted
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = message["List-Unsubscribe"].strip("<>")
    path = address.removeprefix(world.services.settings.address)
    token = link_in(message, "/auth/unsubscribe")

    followed = world.any_user().get(path)
    assert (followed.status_code, followed.headers["location"]) == (303, f"/auth/unsubscribe?token={token}")
    assert ada.get(DELIVERY).json()["email"] == CHOICE["email"]
    notify(world, "Doom")
    form = {"headers": {"Content-Type": "application/x-www-form-urlencoded"}, "content": "List-Unsubscribe=One-Click"}
    for _ in range(2):
        assert world.any_user().request("POST", path, **form).status_code == 204

    assert ada.get(DELIVERY).json()["email"] == []
    deliver(world)
    assert (len(mail.accepted), waiting(world)) == (1, 0)
    assert world.any_user().request("POST", f"{PATH}/unsubscribe?token=x").status_code == 404


def test_a_changed_address_must_be_confirmed_again(world: World, mail: MailServer) -> None:
    ada = world.admin()
    subscribe(world, ada, mail)
    too_soon = ada.post(f"{DELIVERY}/verification", {"language": "en"})
    assert (too_soon.status_code, too_soon.json()["type"]) == (409, "verification-sent")
    world.clock.advance(minutes=6)
    browser = world.browser("ada")
    assert browser.post(f"{DELIVERY}/verification", {"language": "de"}).status_code == 204
    german = mail.accepted.pop()
    assert german["Subject"].startswith("Bestätige deine E-Mail-Adresse")
    notify(world)
    assert browser.patch("/api/v1/user", {"email": "other@example.org"}).status_code == 200

    assert world.any_user().post(f"{PATH}/verify", {"token": link_in(german, "/auth/email")}).status_code == 404
    assert world.any_user().post(f"{PATH}/verify", {"token": "x"}).status_code == 404
    assert ada.get(DELIVERY).json()["emailAddress"]["isVerified"] is False
    deliver(world)
    assert (mail.accepted, waiting(world)) == ([], 0)


def test_a_link_to_confirm_an_address_expires(world: World, mail: MailServer) -> None:
    ada = world.admin()
    assert ada.post(f"{DELIVERY}/verification", {"language": "en"}).status_code == 204
    world.clock.advance(days=8)
    token = link_in(mail.accepted.pop(), "/auth/email")
    assert world.any_user().post(f"{PATH}/verify", {"token": token}).status_code == 404


def test_what_is_due_at_the_same_time_becomes_one_message_in_german(world: World, mail: MailServer) -> None:
    subscribe(world, world.admin(), mail, language="de")
    for number in range(22):
        notify(world, f"Game {number}")
        world.clock.advance(minutes=2)
    notify(world)

    deliver(world)

    [message] = mail.accepted
    assert message["Subject"].startswith("23 Benachrichtigungen von ")
    text = message.get_body(("plain",)).get_content()
    assert text.count("1 neuer Ordner") == 19
    assert "Der Speicherplatz des Servers wird knapp" in text
    assert "3 weitere" in text


def test_a_digest_is_sent_at_its_time_and_nothing_in_quiet_hours(world: World, mail: MailServer) -> None:
    ada, bob = world.admin(), world.admin("bob")
    now = world.clock()
    hour = (now + timedelta(hours=2)).strftime("%H:%M")
    subscribe(world, ada, mail, digestAt=hour)
    quiet = {"quietFrom": (now - timedelta(hours=1)).strftime("%H:%M"), "quietUntil": hour}
    subscribe(world, bob, mail, **quiet)
    notify(world, "Doom")
    notify(world)
    deliver(world)
    assert mail.accepted == []

    world.clock.advance(hours=2, minutes=1)
    deliver(world)

    assert sorted(str(each["To"]) for each in mail.accepted) == ["ada@example.org", "bob@example.org"]
    assert {each[:15] for each in mail.subjects} == {"2 notifications"}
    # What a changed preference would have delivered by now is delivered.
    notify(world, "Quake")
    assert ada.request("PUT", DELIVERY, json=CHOICE).status_code == 204
    deliver(world)
    assert len(mail.accepted) == 4


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
        assert not queries.any_due(session, tasks.Channel.EMAIL, at=world.clock())
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
    subscribe(world, world.admin(), mail)
    notify(world)
    configure(world, smtp_port="1")
    failed = deliver(world)
    assert failed is not None
    assert (failed.success, failed.retries > 0) == (False, True)
    configure(world, smtp_port=str(mail.port))

    world.clock.advance(minutes=15)
    world.services.deliveries.notify_runner()
    while waiting(world):
        finish(world, "deliver:email")
    assert len(mail.accepted) == 1


def test_admins_learn_in_the_app_that_the_password_is_wrong(world: World, mail: MailServer) -> None:
    ada = world.admin()
    subscribe(world, ada, mail)
    notify(world)
    mail.password = "right"
    configure(world, smtp_user="games", smtp_password="wrong")
    for _ in range(2):
        failed = deliver(world)
        assert failed is not None
        assert failed.error_code == "mail-password-refused"
        world.clock.advance(minutes=16)
    configure(world, smtp_password="right")
    deliver(world)
    assert len(mail.accepted) == 1

    notify(world, "Doom")
    assert sum("Send notifications by email" in each["title"] for each in ada.get(PATH).json()) == 1


@pytest.mark.parametrize(("answer", "arrives"), [("550 No such user", False), ("450 Greylisted", True)])
def test_a_refused_recipient_delays_only_their_message(
    world: World, mail: MailServer, answer: str, *, arrives: bool
) -> None:
    subscribe(world, world.admin(), mail)
    notify(world)
    mail.to_recipient = answer
    first = deliver(world)
    assert first is not None
    assert first.success
    mail.to_recipient = "250 OK"
    world.clock.advance(minutes=2)
    deliver(world)
    assert (len(mail.accepted), waiting(world)) == (int(arrives), 0)


def test_what_waits_too_long_is_dropped(world: World, mail: MailServer) -> None:
    ada, bob = world.admin(), world.admin("bob")
    subscribe(world, ada, mail)
    subscribe(world, bob, mail)
    notify(world)
    world.clock.advance(days=8)
    deliver(world)
    assert (mail.accepted, waiting(world)) == ([], 0)


def test_a_test_message_shows_whether_the_settings_work(world: World, mail: MailServer) -> None:
    ada = world.admin()
    path = "/api/v1/admin/settings/email/test"
    values = {"SMTP_SERVER": "127.0.0.1", "SMTP_PORT": str(mail.port), "SMTP_TLS": "none", "SMTP_FROM": SENDER}
    assert ada.post(path, {"values": values}).status_code == 204
    assert str(mail.accepted.pop()["To"]) == "ada@example.org"

    refused = ada.post(path, {"values": {**values, "SMTP_PORT": "1"}})
    assert (refused.status_code, refused.json()["type"]) == (502, "email-unavailable")
    assert refused.json()["parameters"]["reason"]["code"] == "mail-unreachable"
    unsupported = ada.post(path, {"values": {**values, "SMTP_TLS": "starttls"}})
    assert unsupported.json()["parameters"]["reason"]["code"] == "mail-unsupported"
    mail.to_data = "554 Spam"
    spam = ada.post(path, {"values": values})
    assert spam.json()["parameters"]["reason"]["parameters"]["answer"] == "554 Spam"
    for name, value in (("SMTP_FROM", "nobody"), ("SMTP_TLS", "maybe"), ("SMTP_PORT", "0")):
        assert ada.post(path, {"values": {**values, name: value}}).json()["errors"][0]["field"] == name


@pytest.mark.parametrize("wrong", [{"timeZone": "Mars/Olympus"}, {"quietFrom": "22:00"}, {"digestAt": "25:00"}])
def test_choices_that_make_no_sense_are_refused(world: World, wrong: dict[str, str]) -> None:
    refused = world.admin().request("PUT", DELIVERY, json={**CHOICE, **wrong})
    assert refused.status_code == 400
    assert len(refused.json()["errors"]) == 1


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
    world.services.runner._registry._handlers["deliver:email"] = tasks.Deliver(handler.channel, Sends)
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
