"""The units run by a real systemd, with all their restrictions, in a container whose first process it is."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from architecture.source import ROOT
from deploy.image import PACKAGES, Image, built_image, small_debian
from processes.service import Service, until

# Building takes minutes, and much longer on a busy machine.
pytestmark = [pytest.mark.heavy, pytest.mark.network, pytest.mark.timeout(3600)]

# Its systemd also runs where the kernel has only the first version of control groups.
RELEASE = "bookworm"
USER = 10001
# Where the image has the program, and where the units expect it.
PROGRAM, EXPECTED = "/app/bin/playdock", "/opt/playdock/.venv/bin/playdock"


class Machine(Service):
    """A container with systemd, and the service that it runs."""

    image: Image
    name: str

    def sh(self, script: str) -> str:
        return self.image.podman("exec", "--user", "root", self.name, "sh", "-euc", script)


@pytest.fixture
def machine(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Iterator[Machine]:
    base = small_debian("systemd-base", *PACKAGES, "systemd", "systemd-sysv", "dbus", release=RELEASE)
    with built_image(tmp_path_factory.mktemp("image"), base) as image:
        for name in ("games", "managed", "backups"):
            (tmp_path / name).mkdir()
            os.chown(tmp_path / name, USER, USER)
        options = ["--detach", "--tty", "--systemd", "always", "--user", "root", "--entrypoint", "/sbin/init"]
        options += ["--network", "host", "--no-healthcheck"]
        options += ["--cap-add", "SYS_ADMIN", "--security-opt", "seccomp=unconfined"]
        # Without these, podman raises limits, which it may not do everywhere.
        options += ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"]
        machine = Machine(tmp_path, "")
        machine.image = image
        machine.name = image.podman("run", *options, "--volume", f"{tmp_path}:/srv", "localhost/playdock").strip()
        until(lambda: _is_running(machine), what="systemd")
        yield machine
        image.podman("kill", machine.name)


def _is_running(machine: Machine) -> bool:
    try:
        return machine.sh("systemctl is-system-running").strip() == "running"
    except AssertionError:
        return False


def _documented(begin: str) -> str:
    """Return a block of commands of the manual."""
    section = (ROOT / "docs/operating.md").read_text().partition("\n## With systemd\n")[2].partition("\n## ")[0]
    [block] = [block for block in re.findall(r"(?:^ {4}.*\n)+", section, re.MULTILINE) if begin in block]
    return re.sub(r"^ {4}", "", block, flags=re.MULTILINE).replace(EXPECTED, PROGRAM)


def test_systemd_runs_the_service_with_few_permissions(machine: Machine) -> None:
    for unit in (ROOT / "deploy/systemd").iterdir():
        text = unit.read_text().replace(EXPECTED, PROGRAM).replace("127.0.0.1:3000", f"127.0.0.1:{machine.port}")
        (machine.folder / unit.name).write_text(text)
    machine.sh("cp /srv/playdock.* /etc/systemd/system")
    machine.sh("".join(line for line in _documented("systemctl enable").splitlines(True) if "systemctl" in line))
    log = machine.sh("journalctl --unit playdock --output cat")
    invitation = re.search(r"http\S+/auth/register\?id=\S+", log)
    assert invitation, log
    machine.sign_up(invitation[0])

    # Archives are read by a library whose calls back need memory that can be executed, unless it is done with care.
    (machine.folder / "game").write_text("#!/bin/sh\n")
    subprocess.run(["7z", "a", "-bso0", machine.folder / "games/Doom.7z", machine.folder / "game"], check=True)
    doom = machine.import_game(Path("/srv/games"), "Doom.7z", backend="FlatFilesystem")
    assert machine.finish(machine.start_import(doom, "default"))["success"]

    # Only what is listed can be written.
    machine.sh("printf 'LIBRARY_ROOTS=/srv\nBACKUP_FOLDER=/srv/backups\n' >/etc/playdock.env")
    machine.sh("systemctl restart playdock")
    managed = {"name": "Managed", "backend": "FlatFilesystem", "options": {"baseDir": "/srv/managed", "managed": True}}
    refused = machine.request("POST", "/api/v1/admin/library/sources", managed)
    assert "ReadWritePaths=" in refused.json()["detail"]
    paths = _documented("ReadWritePaths=").replace("/srv/games /mnt/nas/playdock", "/srv/managed /srv/backups")
    override = "/etc/systemd/system/playdock.service.d/override.conf"
    machine.sh(f"mkdir $(dirname {override}); printf '{paths}' >{override}; systemctl daemon-reload")
    machine.sh("systemctl restart playdock")
    machine.post("/api/v1/admin/library/sources", managed)
    assert machine.finish(machine.post("/api/v1/admin/task", {"taskGroup": "backup:service"})["id"])["success"]
    assert len(list((machine.folder / "backups").glob("2*Z"))) == 1
    assert "made at" in machine.sh(_documented("systemd-run").replace("doctor", "restore /srv/backups --check"))
