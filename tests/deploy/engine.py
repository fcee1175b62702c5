"""A Docker engine of its own, in a network namespace of its own, whose containers this process reaches at `ADDRESS`.

Nothing of it is left afterwards: neither rules of the firewall, nor bridges, nor ports.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from architecture.source import ROOT
from deploy.image import program, run, small_debian
from processes.service import until

# Addresses of this kind are used inside of one machine only, and rarely.
HOST, ADDRESS = "10.213.78.1", "10.213.78.2"
PROGRAMS = ("dockerd", "docker", "ip", "nsenter", "mmdebstrap")
_NAMESPACE, _OUTER, _INNER = "pdcompose", "pdcompose-out", "pdcompose-in"
_STAND_INS = Path(__file__).parent / "stand_ins"
_PACKAGES = ("nginx-light", "postgresql", "wget")
# The engine may have to end many containers.
_MAX_STOP_SECONDS = 300


class Engine(NamedTuple):
    """A running engine."""

    environment: dict[str, str]

    def docker(self, *arguments: str | Path) -> str:
        return self.sh(Path.cwd(), '"$@"', "docker", *arguments)

    def compose(self, folder: Path, *arguments: str) -> str:
        return self.sh(folder, '"$@"', "docker", "compose", *arguments)

    def sh(self, folder: Path, script: str, *arguments: str | Path) -> str:
        """Run lines of a shell in a folder until the first one that fails, and return the output."""
        done = subprocess.run(
            ["sh", "-euc", script, "sh", *arguments],
            cwd=folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (script, arguments, done.stdout[-3000:], done.stderr[-3000:])
        return done.stdout

    def stand_in(self, name: str, image: str, **environment: str) -> None:
        """Make an image, which a compose file would take from a registry, of Debian's packages and a script."""
        if "stand-ins" not in self.docker("images", "--format", "{{.Repository}}"):
            self.docker("import", small_debian("stand-ins", *_PACKAGES), "stand-ins")
        container = self.docker("create", "stand-ins", "/start").strip()
        self.docker("cp", _STAND_INS / name, f"{container}:/start")
        changes = ['ENTRYPOINT ["/start"]', *(f"ENV {key}={value}" for key, value in environment.items())]
        self.docker("commit", *(part for each in changes for part in ("--change", each)), container, image)
        self.docker("rm", container)


@contextmanager
def running_engine(folder: Path) -> Iterator[Engine]:
    """Run an engine, and end it with all its containers."""
    for each in PROGRAMS:
        program(each)
    configuration = folder / "configuration"
    _add_compose(configuration / "cli-plugins")
    # Variables of this process would take precedence over those of a file `.env`.
    environment = {"DOCKER_HOST": f"unix://{folder}/socket", "DOCKER_CONFIG": str(configuration)}
    environment |= {"PATH": os.environ["PATH"], "HOME": str(folder)}
    options = ["--host", environment["DOCKER_HOST"], "--pidfile", f"{folder}/pid", "--data-root", f"{folder}/data"]
    with _alone(), _network(), (folder / "log").open("wb") as log:
        command = ["nsenter", f"--net=/run/netns/{_NAMESPACE}", program("dockerd"), *options]
        command += ["--exec-root", f"{folder}/run", "--storage-driver", "overlay2"]
        process = subprocess.Popen(command, stdout=log, stderr=log)
        engine = Engine(environment)
        try:
            until(lambda: _answers(engine, process, folder), what="an engine")
            yield engine
            if containers := engine.docker("ps", "--quiet").split():
                engine.docker("kill", *containers)
        finally:
            process.terminate()
            process.wait(_MAX_STOP_SECONDS)
            # Gigabytes, which pytest would keep for three runs.
            shutil.rmtree(folder / "data")


def _answers(engine: Engine, process: "subprocess.Popen[bytes]", folder: Path) -> bool:
    assert process.poll() is None, (folder / "log").read_text()[-3000:]
    command = ["docker", "version"]
    return subprocess.run(command, env=engine.environment, capture_output=True, check=False).returncode == 0


def _add_compose(plugins: Path) -> None:
    """Provide `docker compose` as Debian has it from release 13 on; Debian 12 has the first version only."""
    plugins.mkdir(parents=True)
    kept = ROOT / ".cache/docker-compose"
    if not kept.exists():
        archive = small_debian("docker-compose", "docker-compose", variant="extract")
        made = kept.with_suffix(f".{os.getpid()}")
        with made.open("wb") as file:
            member = "./usr/libexec/docker/cli-plugins/docker-compose"
            subprocess.run(["tar", "--extract", "--to-stdout", "--file", archive, member], stdout=file, check=True)
        made.chmod(0o755)
        made.rename(kept)
    shutil.copy(kept, plugins)


@contextmanager
def _alone() -> Iterator[None]:
    """Wait until no other run has the network, which exists once on a machine."""
    with (Path(tempfile.gettempdir()) / f"{_NAMESPACE}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _network() -> Iterator[None]:
    # A run that was killed has left them.
    for leftover in (("link", "delete", _OUTER), ("netns", "delete", _NAMESPACE)):
        with suppress(AssertionError):
            run("ip", *leftover)
    run("ip", "netns", "add", _NAMESPACE)
    try:
        run("ip", "link", "add", _OUTER, "type", "veth", "peer", "name", _INNER, "netns", _NAMESPACE)
        run("ip", "address", "add", f"{HOST}/24", "dev", _OUTER)
        run("ip", "link", "set", _OUTER, "up")
        for command in (f"address add {ADDRESS}/24 dev {_INNER}", f"link set {_INNER} up", "link set lo up"):
            run("ip", "-netns", _NAMESPACE, *command.split())
        yield
    finally:
        run("ip", "link", "delete", _OUTER)
        run("ip", "netns", "delete", _NAMESPACE)
