"""What the app does about updates of itself: when it installs them, and what it says."""

import base64
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from client.updating.conftest import FakeServer, program_files
from playdock_client.app.app_settings import AppSettings, SettingsFile
from playdock_client.app.client_updater import AppBusy, ClientUpdate, ClientUpdater, UpdatePhase
from playdock_client.client_folders import ClientFolders
from playdock_client.machine import Machine
from playdock_client.updating.offers import statement
from playdock_client.updating.version_state import VersionState, version_of
from playdock_client.updating.versions import Versions

_PATIENCE = 60.0
_KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))


@dataclass
class _Watcher:
    """Waits for states of an updater."""

    busy: bool = False
    restarts: int = 0
    seen: list[ClientUpdate] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)
    updater: ClientUpdater | None = None

    def announce(self) -> None:
        assert self.updater is not None
        with self.changed:
            self.seen.append(self.updater.state)
            self.changed.notify_all()

    def restart(self) -> None:
        self.restarts += 1

    def wait(self, is_reached: Callable[[ClientUpdate], bool]) -> ClientUpdate:
        with self.changed:
            assert self.changed.wait_for(lambda: self.seen and is_reached(self.seen[-1]), _PATIENCE), self.seen
            return self.seen[-1]


@pytest.fixture
def folders(versions: Versions) -> ClientFolders:
    return ClientFolders(versions.folder.parent, versions.folder.parent)


@contextmanager
def _watching(
    folders: ClientFolders, versions: Versions | None, address: str, *, busy: bool = False
) -> Iterator[_Watcher]:
    watcher = _Watcher(busy)
    watcher.updater = ClientUpdater(
        versions,
        SettingsFile(folders),
        Machine("Linux"),
        keys=[_KEY.public_key().public_bytes_raw()],
        is_busy=lambda: watcher.busy,
        changed=watcher.announce,
        restart=watcher.restart,
    )
    watcher.updater.watch(address)
    watcher.updater.start()
    try:
        yield watcher
    finally:
        watcher.updater.close()


def test_an_update_waits_for_games_and_jobs(folders: ClientFolders, versions: Versions, server: FakeServer) -> None:
    server.list_offers(server.offer("9.1.0", program_files("9.1.0")))
    with _watching(folders, versions, server.address, busy=True) as watcher:
        watcher.wait(lambda state: state.phase is UpdatePhase.AVAILABLE)
        assert watcher.updater is not None
        with pytest.raises(AppBusy):
            watcher.updater.restart()
        assert versions.read() == VersionState()
        watcher.busy = False
        ready = watcher.wait(lambda state: state.phase is UpdatePhase.READY)
        assert ready == ClientUpdate(UpdatePhase.READY, "9.1.0")
        watcher.updater.restart()
    assert (watcher.restarts, version_of(versions.read().current)) == (1, "9.1.0")


def test_updates_can_be_switched_off_and_installed_on_request(
    folders: ClientFolders, versions: Versions, server: FakeServer
) -> None:
    SettingsFile(folders).write(AppSettings(update_client=False))
    server.list_offers(server.offer("9.1.0", program_files("9.1.0")))
    with _watching(folders, versions, server.address) as watcher:
        watcher.wait(lambda state: state == ClientUpdate(UpdatePhase.AVAILABLE, "9.1.0"))
        assert versions.read() == VersionState()
        assert watcher.updater is not None
        watcher.updater.check(install=True)
        watcher.wait(lambda state: state.phase is UpdatePhase.READY)


def test_over_an_unencrypted_connection_only_what_is_signed_is_installed(
    folders: ClientFolders, versions: Versions, server: FakeServer
) -> None:
    offer = server.offer("9.1.0", program_files("9.1.0"))
    server.list_offers(offer)
    # The same server under a name that is not known to be this machine.
    address = server.address.replace("127.0.0.1", "127.1")
    with _watching(folders, versions, address) as watcher:
        refused = watcher.wait(lambda state: state.problem is not None)
        assert refused.problem is not None
        assert (refused.phase, refused.problem.code) == (UpdatePhase.AVAILABLE, "unsigned-update")
        assert versions.read() == VersionState()
        signature = base64.b64encode(_KEY.sign(statement(offer.name, offer.sha256))).decode()
        server.list_offers(msgspec.structs.replace(offer, signature=signature))
        assert watcher.updater is not None
        watcher.updater.check()
        watcher.wait(lambda state: state.phase is UpdatePhase.READY)


def test_a_failure_is_shown_and_a_release_that_did_not_work_is_mentioned(
    folders: ClientFolders, versions: Versions, server: FakeServer
) -> None:
    versions.change(lambda state: state._replace(failed=("9.1.0",)))
    server.list_offers(
        server.offer("9.1.0", program_files("9.1.0")),
        server.offer("9.2.0", {"playdock-client": b"#!/bin/sh\nexit 1\n"}),
    )
    with _watching(folders, versions, server.address) as watcher:
        failed = watcher.wait(lambda state: state.problem is not None)
    assert failed.problem is not None
    assert (failed.version, failed.problem.code, failed.failed) == ("9.2.0", "does-not-start", "9.1.0")
    assert versions.read().current == ""


def test_a_client_of_another_installer_only_says_that_there_is_a_newer_one(
    folders: ClientFolders, server: FakeServer
) -> None:
    offer = server.offer_bytes("9.1.0", b"")
    wheel = msgspec.structs.replace(offer, name="playdock_client-9.1.0-py3-none-any.whl", system="Any")
    (server.folder / "api/v1/client-downloads").rename(server.folder / "elsewhere")
    (server.folder / "api/v1/client-downloads").write_bytes(msgspec.json.encode([wheel]))
    with _watching(folders, None, server.address) as watcher:
        state = watcher.wait(lambda state: state.phase is UpdatePhase.AVAILABLE)
    assert state == ClientUpdate(UpdatePhase.AVAILABLE, "9.1.0", manual=True)
