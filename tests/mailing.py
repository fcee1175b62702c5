"""Notifications by email, from the choice of a user to the mailbox."""

import re
from email.message import EmailMessage
from typing import Any

from mail_server import MailServer
from playdock.domain.events import queries as event_queries
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import Look, Place
from playdock.features.notifications.service import ANNOUNCE
from playdock.kit.messages import Message
from playdock.models import Delivery, Library, Task
from world import Caller, World

PATH = "/api/v1/notifications"
DELIVERY = f"{PATH}/delivery"
SENDER = "games@example.org"
CHOICE: dict[str, Any] = {
    "email": ["disk.low", "folders.found"],
    "chat": [],
    "quietFrom": "",
    "quietUntil": "",
    "digestAt": "",
    "timeZone": "UTC",
    "language": "en",
}


def configure(world: World, **values: str) -> None:
    """Change settings as an administrator does."""
    with world.services.db.write() as session:
        world.services.server_settings.store(session, values)
    world.services.server_settings.refresh()


def body_of(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    assert part
    content: str = part.get_content()
    return content


def link_in(message: EmailMessage, path: str) -> str:
    text = body_of(message, "plain")
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
            newest = session.query(Task).filter_by(task_type=task_type).order_by(Task.created.desc()).first()
        if newest is None or newest.ended or (newest.worker_id is None and newest.retries):
            return newest


def notify(world: World, *folders: str) -> None:
    """Write notifications: about each folder, or that the disk is full."""
    for name in folders:
        with world.services.db.write() as session:
            library = session.get(Library, "l") or Library(
                id="l", name="Games", backend="Filesystem", options={"baseDir": str(world.games)}, created=world.clock()
            )
            session.add(library)
            session.flush()
            look = Look("seen", world.clock(), world.clock(), None)
            found_queries.add(session, library.id, [(Place(name, "1.0"), look)], decided=world.clock())
            event_queries.add_folders(session, name, library, [name], at=world.clock())
    if not folders:
        with world.services.db.write() as session:
            event_queries.end_low_space(session)
            event_queries.add_low_space(session, Message("space-low", size=3), at=world.clock())
    announce(world)


def announce(world: World) -> None:
    """Write notifications about what has happened, as the runner does each minute."""
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
