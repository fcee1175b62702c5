"""Eight clients that install a version at once: by a mirror, listed after one that lies, and without mirrors."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.bare import MIB, make_files
from bench.library import add_library, import_game, import_version
from bench.relay import Relay, relay_to
from bench.servers import free_port, service
from bench.table import Row
from client.lying_server import HostileVersion, lying_server
from nginx import find_nginx, running_mirror
from playdock_client import api

_CLIENTS = 8
_FILES = 32
_SIZE = _FILES * 8 * MIB
_WANTED = 1.05


@dataclass(frozen=True, slots=True)
class Figures:
    """All bytes to and from the origin, as a multiple of the version, and the seconds until everyone had it."""

    versions: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Players:
    """Clients that install a version from an origin whose bytes are counted."""

    relay: Relay
    token: str
    game: str
    folder: Path

    def install(self) -> Figures:
        """Install the version with all clients at once, and check what they have installed."""
        before, started = self.relay.carried, time.perf_counter()
        folders = [self.folder / str(number) for number in range(_CLIENTS)]
        with ThreadPoolExecutor(_CLIENTS) as threads:
            list(threads.map(self._install, folders))
        figures = Figures((self.relay.carried - before) / _SIZE, time.perf_counter() - started)
        for folder in folders:
            assert api.verify(folder, progress=api.NoProgress()).intact
            shutil.rmtree(folder)
        return figures

    def _install(self, folder: Path) -> None:
        with api.Server(self.relay.address, self.token) as server:
            (version,) = server.versions(self.game)
            game = api.GameInfo(self.game, "Game")
            api.install(server, game, version, folder, options=api.FetchOptions(), progress=api.NoProgress())


def measure() -> Iterator[Row]:
    program = find_nginx()
    assert program, "nginx is missing: install Debian's nginx-light."
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as name, lying_server() as liar:
        folder, port = Path(name), free_port()
        (folder / "installed").mkdir()
        make_files(folder / "games/Game/1.0", count=_FILES, size=_SIZE // _FILES)
        file = min(path for path in (folder / "games/Game/1.0").rglob("*") if path.is_file())
        mirrors = f"{liar.address},http://127.0.0.1:{port}"
        with (
            service(folder, more={"MIRRORS": mirrors}) as served,
            relay_to(served.running.address) as relay,
            served.client() as admin,
        ):
            game = import_game(admin, add_library(admin, folder / "games"), "Game")
            launch = file.relative_to(folder / "games/Game/1.0").as_posix()
            version = import_version(admin, game, "1.0", launch=launch)
            liar.serve(HostileVersion(version, {"zeros": bytes(_SIZE)}))
            players = Players(relay, served.token, game, folder / "installed")
            origin = relay.address.removeprefix("http://")
            with running_mirror(program, folder / "nginx", port=port, origin=origin):
                first, again = players.install(), players.install()
            # A user with a limit is offered no mirrors.
            user = admin.get("/api/v1/user").json()["id"]
            admin.patch(f"/api/v1/admin/users/{user}", json={"downloadsAtOnce": 1000}).raise_for_status()
            without = players.install()
    baseline = f"without mirrors: {without.versions:.3f} times in {without.seconds:.1f} s"
    for what, figures, wanted in (("", first, f"at most {_WANTED} times"), (", again", again, "")):
        yield Row(
            f"{_SIZE / 1e6:.0f} MB to {_CLIENTS} clients at once by a mirror, bytes of the origin{what}",
            f"{figures.versions:.3f} times in {figures.seconds:.1f} s",
            baseline,
            f"{figures.versions / without.versions:.3f}",
            wanted,
        )
