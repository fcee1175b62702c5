"""Notifications by email: to a confirmed address, when the person wants them, until they unsubscribe."""

from datetime import timedelta
from urllib.parse import quote

import pytest
from sqlalchemy import delete, select

from mail_server import MailServer
from mailing import CHOICE, DELIVERY, PATH, SENDER, body_of, deliver, link_in, notify, subscribe, waiting
from playdock.features.delivery.mailer import Mailer, _recipient
from playdock.fetching.errors import MessageRefused
from playdock.models import DeliveryPreferences, FoundVersion, Notification, NotificationPreferences
from world import World


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
    text, html = (body_of(message, kind) for kind in ("plain", "html"))
    link = f"{world.services.settings.address}/admin"
    assert link in text
    assert f'href="{link}"' in html
    assert waiting(world) == 0
    # What is not selected for email is not sent.
    assert ada.request("PUT", DELIVERY, json={**CHOICE, "email": ["folders.found"]}).status_code == 204
    world.clock.advance(days=1)
    notify(world)
    assert waiting(world) == 0


def test_what_is_off_in_the_app_is_delivered_otherwise(world: World, mail: MailServer) -> None:
    ada = world.admin()
    subscribe(world, ada, mail)
    notify(world, "Quake")
    [shown] = ada.get(PATH).json()
    off = {"platforms": [], "tags": [], "muted": ["folders.found"]}
    assert ada.request("PUT", f"{PATH}/preferences", json=off).status_code == 204

    notify(world, "Doom")

    deliver(world)
    assert "Doom" in body_of(mail.accepted[-1], "plain")
    assert [each["id"] for each in ada.get(PATH).json()] == [shown["id"]]
    # Neither can it be found there in any other way.
    with world.services.db.read() as session:
        hidden = session.scalars(select(Notification.id).where(Notification.in_app.is_(False))).one()
    assert ada.get(f"{PATH}/{hidden}").status_code == 404
    assert ada.delete(f"{PATH}/{hidden}").status_code == 404
    assert world.services.notifications.added_since(0, [ada.user["id"]])[-1].id == int(shown["id"])


def test_one_click_stops_all_email(world: World, mail: MailServer) -> None:
    ada = world.admin()
    subscribe(world, ada, mail)
    notify(world)
    deliver(world)
    [message] = mail.accepted
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = message["List-Unsubscribe"].strip("<>")
    assert f"List-Unsubscribe: <{address}>\r\n".encode() in mail.raw[-1]
    path = address.removeprefix(world.services.settings.address)
    token = link_in(message, "/auth/unsubscribe")

    followed = world.any_user().get(path)
    assert (followed.status_code, followed.headers["location"]) == (303, f"/auth/unsubscribe?token={quote(token)}")
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
    text = body_of(message, "plain")
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
def test_what_has_been_done_in_the_meantime_is_not_sent(world: World, mail: MailServer) -> None:
    ada = world.admin()
    subscribe(world, ada, mail, digestAt=(world.clock() + timedelta(hours=2)).strftime("%H:%M"))
    for folder in ("Doom", "Quake"):
        notify(world, folder)
    remove_found(world, "Doom")
    world.clock.advance(hours=2, minutes=1)
    deliver(world)
    [message] = mail.accepted
    assert (message["Subject"], body_of(message, "plain").count("Doom")) == ("1 new folder to import", 0)

    notify(world, "Hades")
    remove_found(world, "Hades")
    world.clock.advance(days=1)
    deliver(world)
    assert (len(mail.accepted), waiting(world)) == (1, 0)


def remove_found(world: World, folder: str) -> None:
    with world.services.db.write() as session:
        session.execute(delete(FoundVersion).where(FoundVersion.path == folder))


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
    wrong = {
        "SMTP_FROM": ["nobody"],
        "SMTP_TLS": ["maybe"],
        "SMTP_PORT": ["0"],
        "SMTP_SERVER": ["mail..example", "mail.example:587", f"{'a' * 64}.example", "mail example"],
        "SMTP_USER": ["jörg"],
        "SMTP_PASSWORD": ["Schlüssel"],
    }
    for name, value in ((name, value) for name, texts in wrong.items() for value in texts):
        assert ada.post(path, {"values": {**values, name: value}}).json()["errors"][0]["field"] == name


@pytest.mark.parametrize("email", ["(x@y.z", "a@b.(d", "a@[b.c", '\x7f@[\x7f,".:\x00a'])
def test_an_address_to_which_nothing_can_be_sent_is_refused_and_can_be_corrected(email: str) -> None:
    with pytest.raises(MessageRefused) as refused:
        _recipient(email)
    assert (refused.value.reason.code, refused.value.temporary) == ("mail-address-invalid", False)


def test_a_verification_that_failed_in_any_way_can_be_requested_again(
    world: World, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, path = world.admin(), f"{DELIVERY}/verification"
    with monkeypatch.context() as patch:
        patch.setattr(Mailer, "send_verification", lambda *_: 1 / 0)
        assert ada.post(path, {"language": "en"}).status_code == 500
    assert (ada.post(path, {"language": "en"}).status_code, len(mail.accepted)) == (204, 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"timeZone": "Mars/Olympus"},
        {"quietFrom": "22:00"},
        {"quietFrom": "08:00", "quietUntil": "08:00"},
        {"digestAt": "25:00"},
    ],
)
def test_choices_that_make_no_sense_are_refused(world: World, wrong: dict[str, str]) -> None:
    refused = world.admin().request("PUT", DELIVERY, json={**CHOICE, **wrong})
    assert refused.status_code == 400
    assert len(refused.json()["errors"]) == 1


def test_what_a_newer_release_has_stored_is_kept(world: World) -> None:
    ada = world.admin()
    newer = {
        "channels": {"email": ["disk.low", "game.played"], "push": ["disk.low"], "pager": ["disk.low"]},
        "volume": 3,
    }
    with world.services.db.write() as session:
        session.add(DeliveryPreferences(user_id=ada.user["id"], preferences=newer))
        muted = {"muted": ["disk.low"], "sound": "bell"}
        session.add(NotificationPreferences(user_id=ada.user["id"], preferences=muted))

    assert ada.request("PUT", DELIVERY, json={**CHOICE, "email": ["folders.found"]}).status_code == 204
    chosen = {"platforms": [], "tags": [], "muted": ["game.added"]}
    assert ada.request("PUT", f"{PATH}/preferences", json=chosen).is_success

    with world.services.db.read() as session:
        delivery = session.get(DeliveryPreferences, ada.user["id"])
        kept = session.get(NotificationPreferences, ada.user["id"])
    assert delivery
    assert kept
    assert delivery.preferences["volume"] == 3
    assert delivery.preferences["channels"] == {
        "email": ["folders.found", "game.played"],
        "chat": [],
        "push": ["disk.low"],
        "pager": ["disk.low"],
    }
    assert (kept.preferences["muted"], kept.preferences["sound"]) == (["game.added"], "bell")
