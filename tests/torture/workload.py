"""The clients: each does one kind of work again and again, and records what was acknowledged."""

import base64
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

from drawing import png
from torture import games
from torture.acknowledged import (
    ANY,
    Changed,
    ChangeSent,
    ImageStored,
    Imported,
    Invited,
    Journal,
    SignedUp,
    SignUpSent,
    TaskStarted,
)
from torture.connection import Connection, Refused, Responses, Unanswered
from torture.games import Release
from torture.served import Served, WrongBytes

# Hashing a password takes a tenth of a second of a core, so only some changes are of passwords.
_PASSWORD_SHARE = 0.15
_PICTURE_SHARE = 0.25
_RACE_SHARE = 0.3
_NEW_VERSION_SHARE = 0.6
_REIMPORT_SHARE = 0.4
_NAMES = tuple(games.version_name(number) for number in range(4))
# Imports of the same queue run one after another, so more would only wait.
_MAX_INCOMPLETE_GAMES = 6
# Time for the service to start again, without thousands of refused connections.
_PAUSE_SECONDS = 0.1
_COMPLETE = 200
_FORBIDDEN = 403
_UNKNOWN = 404
# Another request, or an earlier one that was not acknowledged, did the same.
_CONFLICT = 409
_TOO_MANY = 429
_IMPORTED_ALREADY = ("game-already-imported", "version-already-imported")


class Client:
    """Does one kind of work with its own connections."""

    def __init__(self, address: str, journal: Journal, random: Random, responses: Responses) -> None:
        self.journal = journal
        self.random = random
        self.admin = Connection(address, responses)
        self.player = Connection(address, responses)
        self.served = Served(self.admin)

    def step(self) -> None:
        """Do one thing. Raises Unanswered, Refused or WrongBytes."""
        raise NotImplementedError

    def close(self) -> None:
        self.admin.close()
        self.player.close()

    def pick(self, choices: Sequence[Any]) -> Any:
        """Return one of the choices.

        Raises:
            Unanswered: there is none yet.
        """
        if not choices:
            raise Unanswered("Nothing to choose from yet.")
        return self.random.choice(choices)

    def imported(self) -> Release:
        """Return a version that has been imported."""
        with self.journal.lock:
            versions = sorted(self.journal.state.versions)
        return Release(*self.pick(versions))

    def new_name(self, prefix: str) -> str:
        return f"{prefix}{self.random.randrange(10**10):010}"


class Guests(Client):
    """Invites people, who sign up; sometimes two of them use one invitation at the same time."""

    def step(self) -> None:
        body = {"expires": "2100-01-01T00:00:00Z"}
        invitation = self.admin.post("/api/v1/admin/auth/invitation", body)[0]["id"]
        self.journal.write(Invited(invitation))
        if self.random.random() < _RACE_SHARE:
            names = [self.new_name("guest"), self.new_name("guest")]
            with ThreadPoolExecutor(2) as threads:
                for sign_up in [threads.submit(self._sign_up, invitation, name) for name in names]:
                    sign_up.result()
        else:
            self._sign_up(invitation, self.new_name("guest"))

    def _sign_up(self, invitation: str, username: str) -> None:
        password = f"password of {username}"
        self.journal.write(SignUpSent(invitation, username, password))
        body = {
            "invitation": invitation,
            "username": username,
            "password": password,
            "email": f"{username}@example.org",
        }
        connection = Connection(self.player.address)
        try:
            response = connection.call(
                "POST", "/api/v1/auth/signup/simple", json=body, allowed=(_UNKNOWN, _CONFLICT, _TOO_MANY)
            )
        finally:
            connection.close()
        if response.is_success:
            self.journal.write(SignedUp(username, response.json()["id"]))


class Players(Client):
    """Changes accounts: names, addresses, pictures and passwords."""

    def step(self) -> None:
        with self.journal.lock:
            names = sorted(self.journal.state.accounts)
        username = self.pick(names)
        with self.journal.lock:
            password = self.journal.state.accounts[username].fields["password"]
            settled, current = not password.possible, password.acknowledged
        if not settled:
            return  # The next check finds out which password it is.
        self.player.token = ""
        self.player.sign_in(username, current)
        for _ in range(self.random.randint(1, 4)):
            self._change(username, current)
        if self.random.random() < _PASSWORD_SHARE:
            self._change_password(username, current)

    def _change(self, username: str, current: str) -> None:
        if self.random.random() < _PICTURE_SHARE:
            colour = (self.random.randrange(256), self.random.randrange(256), 90)
            picture = base64.b64encode(png(color=colour)).decode()
            self.journal.write(ChangeSent(username, "profilePictureObjectId", ANY))
            changed = self.player.call("PATCH", "/api/v1/user", json={"picture": picture}).json()
            self.journal.write(Changed(username, "profilePictureObjectId", changed["profilePictureObjectId"]))
            return
        field = self.random.choice(["displayName", "email"])
        value = self.new_name("Name ") if field == "displayName" else f"{self.new_name('a')}@example.org"
        self.journal.write(ChangeSent(username, field, value))
        changed = self.player.call("PATCH", "/api/v1/user", json={field: value}, allowed=(_FORBIDDEN,))
        if not changed.is_success:  # an address may be changed only soon after the sign-in, and clocks jump
            raise Unanswered(changed.text)
        self.journal.write(Changed(username, field, value))

    def _change_password(self, username: str, current: str) -> None:
        new = self.new_name("new password ")
        self.journal.write(ChangeSent(username, "password", new))
        self.player.call("POST", "/api/v1/user/password", json={"current": current, "new": new})
        self.journal.write(Changed(username, "password", new))


class Importers(Client):
    """Imports games and versions, makes new ones on disk when all are imported, and re-imports some."""

    library: Path
    library_id: str

    def step(self) -> None:
        with self.journal.lock:
            known = sorted(self.journal.state.games)
            versions = set(self.journal.state.versions)
        missing = [
            Release(game, name)
            for game in known
            if (name := next((name for name in _NAMES if (game, name) not in versions), ""))
        ]
        if missing and self.random.random() < _NEW_VERSION_SHARE:
            self.import_version(self.pick(missing))
        elif versions and self.random.random() < _REIMPORT_SHARE:
            self._reimport(self.imported())
        elif len(missing) < _MAX_INCOMPLETE_GAMES:
            self.import_game(games.game_name(len(known)))

    def import_game(self, game: str) -> None:
        self._write_tree(Release(game, games.version_name(0)))
        body = {"library": self.library_id, "path": game}
        self._start("/api/v1/admin/import/game", body, kind="game", release=Release(game, ""))

    def import_version(self, release: Release) -> None:
        self._write_tree(release)
        game = self.served.game_id(release.game)
        body = {"id": game, "version": release.version, "platform": "Linux", "delta": False, "launch": "start.sh"}
        self._start("/api/v1/admin/import/version", body, kind="version", release=release)

    def _write_tree(self, release: Release) -> None:
        try:
            games.lay(self.library, release)
        except FileNotFoundError:
            raise Unanswered("The library is away.") from None

    def _reimport(self, release: Release) -> None:
        version = self.served.version_id(release)
        self._start(f"/api/v1/admin/version/{version}/import", None, kind="reimport", release=release)

    def _start(self, path: str, body: Any, *, kind: str, release: Release) -> None:
        response = self.admin.call("POST", path, json=body, allowed=(_CONFLICT,))
        answer = response.json()
        if "taskId" in answer:  # started, or running already because of a request that was not acknowledged
            with self.journal.lock:
                known = answer["taskId"] in self.journal.state.tasks
            if not known:
                self.journal.write(TaskStarted(answer["taskId"], kind, release.game, release.version))
        elif answer["type"] in _IMPORTED_ALREADY:
            self.journal.write(Imported(release.game, release.version))
        else:
            raise Refused(f"POST {path}: {response.text}")


class Illustrators(Client):
    """Uploads images of games."""

    def step(self) -> None:
        game_id = self.served.game_id(self.imported().game)
        colour = (self.random.randrange(256), self.random.randrange(256), 30)
        files = [("image", ("image.png", png(color=colour), "image/png"))]
        added = self.admin.call("POST", "/api/v1/admin/game/image", data={"id": game_id}, files=files).json()
        for image in added:
            objects = [each["objectId"] for each in image["renditions"]]
            self.journal.write(ImageStored(game_id, image["id"], objects))


class Downloaders(Client):
    """Downloads versions, files, ranges and images, and compares every byte."""

    def step(self) -> None:
        choice = self.random.random()
        if choice < 0.2:
            with self.journal.lock:
                images = [each for image in self.journal.state.images.values() for each in image.objects]
            self.served.check_image(self.pick(images))
        elif choice < 0.5:
            self.served.check_version(self.imported())
        else:
            release = self.imported()
            path = self.random.choice(sorted(games.content(release)))
            size = len(games.content(release)[path])
            start = self.random.randrange(size)
            self.served.check_range(release, path, start, self.random.randint(start + 1, size))


class Patchers(Client):
    """Requests patches between versions, and applies them."""

    def step(self) -> None:
        new = self.imported()
        with self.journal.lock:
            older = [v for g, v in sorted(self.journal.state.versions) if g == new.game and v < new.version]
        old = Release(new.game, self.pick(older))
        ids = [self.served.version_id(each) for each in (old, new)]
        path, query = f"/api/v1/versions/{ids[1]}/patches", {"from": ids[0]}
        listed = self.admin.call("GET", path, params=query, allowed=(_UNKNOWN, _CONFLICT))
        if listed.status_code == _UNKNOWN:
            started = self.admin.call("POST", path, params=query, allowed=(_CONFLICT,))
            if started.is_success:
                self._record(started.json()["taskId"], new)
        elif listed.status_code == _COMPLETE:
            self.served.check_patches(listed.json(), old, new)

    def _record(self, task: str, new: Release) -> None:
        with self.journal.lock:
            known = task in self.journal.state.tasks
        if not known:
            self.journal.write(TaskStarted(task, "patches", new.game, new.version))


KINDS: tuple[type[Client], ...] = (Guests, Players, Importers, Illustrators, Downloaders, Patchers)


class Workload:
    """All clients, each in a thread, from `start` to `stop`. What is wrong is in `violations`."""

    def __init__(self, clients: Sequence[Client]) -> None:
        self.violations: list[str] = []
        self.steps: Counter[str] = Counter()
        self._clients = clients
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=[each], daemon=True) for each in clients]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Wait until every client has its last response, and close all connections."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()
        for client in self._clients:
            client.close()

    def _work(self, client: Client) -> None:
        while not self._stopping.is_set():
            try:
                client.step()
                self.steps[type(client).__name__] += 1
            except Unanswered:
                self._stopping.wait(_PAUSE_SECONDS)
            except (Refused, WrongBytes) as error:
                self.violations.append(f"{type(client).__name__}: {error}")
                return
            except Exception as error:  # noqa: BLE001 - a defect of the client must not go unnoticed
                self.violations.append(f"{type(client).__name__} failed: {error!r}")
                return
