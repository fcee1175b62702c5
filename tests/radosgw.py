"""A temporary Ceph radosgw on loopback, an S3 server that keeps its objects in memory, if Debian's Ceph is installed.

It consists of a monitor, a storage daemon and the gateway. Each has ports and a folder of its own, so that several can
run at the same time.
"""

import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
from obstore.store import S3Store

from playdock.kit.s3_location import S3Location
from postgresql import free_port

ACCESS_KEY = "AKPLAYDOCK"
SECRET_KEY = "a-secret-key-of-the-tests"
MISSING = "Ceph's radosgw is missing: install Debian's radosgw, ceph-mon and ceph-osd to run these tests."
_PROGRAMS = ("ceph", "ceph-authtool", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin")
# Three daemons start on a machine that is busy with other tests.
_PATIENCE = 300.0
_CONFIGURATION = """
[global]
fsid = {cluster}
keyring = {folder}/keyring
mon host = [v2:127.0.0.1:{ports[0]},v1:127.0.0.1:{ports[1]}]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd crush chooseleaf type = 0
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
mon max pg per osd = 1000
run dir = {folder}/run
admin socket = {folder}/run/$name.asok
pid file =
log file = {folder}/log/$name.log
mon data = {folder}/mon
auth allow insecure global id reclaim = false
mon data avail warn = 1
mon data avail crit = 0
osd crush update on start = false
[mon.a]
host = localhost
mon addr = 127.0.0.1
[osd]
osd data = {folder}/osd
osd objectstore = memstore
memstore device bytes = 4294967296
osd op num shards = 2
[client.rgw]
rgw data = {folder}/rgw
rgw frontends = beast endpoint={host}:{ports[2]} tcp_nodelay=1
rgw thread pool size = 64
"""


def is_installed() -> bool:
    return all(shutil.which(program) for program in _PROGRAMS)


@dataclass(frozen=True, slots=True)
class Radosgw:
    """A running server: its URL, and its folder with the configuration."""

    address: str
    folder: Path
    environment: dict[str, str] = field(repr=False)

    def add_keys(self, access_key: str, secret_key: str) -> None:
        """Give the user other keys, too."""
        keys = (f"--access-key={access_key}", f"--secret-key={secret_key}")
        _run(self, "radosgw-admin", "-n", "client.rgw", "key", "create", "--uid=play", "--key-type=s3", *keys)

    def make_bucket(self, name: str = "") -> str:
        """Create a bucket, and return its name."""
        name = name or f"games-{uuid.uuid4()}"
        keys: Any = {"access_key_id": ACCESS_KEY, "secret_access_key": SECRET_KEY, "region": "us-east-1"}
        store = S3Store(name, endpoint=self.address, client_options={"allow_http": True}, **keys)
        url = obstore.sign(store, "PUT", "", timedelta(minutes=5))
        urllib.request.urlopen(urllib.request.Request(url, method="PUT", data=b""), timeout=_PATIENCE).close()
        return name

    def empty(self, bucket: str) -> None:
        """Delete the objects of a bucket."""
        _run(self, "radosgw-admin", "-n", "client.rgw", "bucket", "rm", f"--bucket={bucket}", "--purge-objects")
        self.make_bucket(bucket)

    def location(self, bucket: str, **other: Any) -> S3Location:
        """Return where services store objects in a bucket."""
        given = {"bucket": bucket, "prefix": "play/dock", "endpoint": self.address, "access_key_id": ACCESS_KEY}
        return S3Location(**{**given, "secret_access_key": SECRET_KEY, **other})


@contextmanager
def running_radosgw(host: str = "127.0.0.1") -> Iterator[Radosgw]:
    """Run a server, at an address of this machine, with one user, who has `ACCESS_KEY` and `SECRET_KEY`."""
    with ExitStack() as resources:
        # Paths of sockets must be short, so they are not below pytest's folder.
        folder = Path(
            resources.enter_context(tempfile.TemporaryDirectory(prefix="playdock-s3-", ignore_cleanup_errors=True))
        )
        for name in ("mon", "osd", "rgw", "run", "log"):
            (folder / name).mkdir()
        cluster, ports = str(uuid.uuid4()), [free_port() for _ in range(3)]
        (folder / "ceph.conf").write_text(_CONFIGURATION.format(cluster=cluster, folder=folder, host=host, ports=ports))
        environment = {**os.environ, "CEPH_CONF": f"{folder}/ceph.conf", "CEPH_ARGS": f"-c {folder}/ceph.conf"}
        server = Radosgw(f"http://{host}:{ports[2]}", folder, environment)
        _make_keys(server)
        _start_monitor(server, cluster, ports, resources)
        _start_storage(server, resources)
        resources.enter_context(_daemon(server, "radosgw", "-f", "-n", "client.rgw"))
        _wait_for_gateway(server)
        _run(
            server, "radosgw-admin", "-n", "client.rgw", "user", "create", "--uid=play", "--display-name=play",
            f"--access-key={ACCESS_KEY}", f"--secret-key={SECRET_KEY}",
        )  # fmt: skip
        yield server


def _make_keys(server: Radosgw) -> None:
    keyring = f"{server.folder}/keyring"
    allowed = {
        "mon.": {"mon": "allow *"},
        "client.admin": {"mon": "allow *", "osd": "allow *", "mgr": "allow *"},
        "osd.0": {"mon": "allow profile osd", "osd": "allow *"},
        "client.rgw": {"mon": "allow rwx", "osd": "allow rwx"},
    }
    for number, (name, capabilities) in enumerate(allowed.items()):
        options = [part for service, text in capabilities.items() for part in ("--cap", service, text)]
        create = [] if number else ["--create-keyring"]
        _run(server, "ceph-authtool", keyring, *create, "--gen-key", "-n", name, *options)


def _start_monitor(server: Radosgw, cluster: str, ports: list[int], resources: ExitStack) -> None:
    addresses = f"[v2:127.0.0.1:{ports[0]},v1:127.0.0.1:{ports[1]}]"
    monitors = f"{server.folder}/monmap"
    _run(server, "monmaptool", "--create", "--clobber", "--fsid", cluster, "--addv", "a", addresses, monitors)
    _run(server, "ceph-mon", "--mkfs", "-i", "a", "--monmap", monitors, "--keyring", f"{server.folder}/keyring")
    resources.enter_context(_daemon(server, "ceph-mon", "-f", "-i", "a"))


def _start_storage(server: Radosgw, resources: ExitStack) -> None:
    name = str(uuid.uuid4())
    _run(server, "ceph", "osd", "new", name, "0")
    _run(server, "ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", name)
    resources.enter_context(_daemon(server, "ceph-osd", "-f", "-i", "0"))
    _run(server, "ceph", "osd", "crush", "add", "osd.0", "1.0", "root=default", "host=localhost")


@contextmanager
def _daemon(server: Radosgw, program: str, *arguments: str) -> Iterator[None]:
    process = subprocess.Popen(
        [program, *arguments],
        env=server.environment,
        cwd=server.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        # Nothing is kept, and each daemon would wait for the others while it stops.
        process.kill()
        process.wait(_PATIENCE)


def _run(server: Radosgw, *command: str) -> None:
    done = subprocess.run(
        command,
        env=server.environment,
        cwd=server.folder,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{command[0]} failed: {done.stderr[-2000:]}"


def _wait_for_gateway(server: Radosgw) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            urllib.request.urlopen(server.address, timeout=10).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            assert time.monotonic() < deadline, "radosgw did not start in time."
            time.sleep(0.2)
        else:
            return
