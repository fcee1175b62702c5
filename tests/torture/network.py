"""Network namespaces, one for each node, so that a node can be cut off from everything. Only root may create them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from processes.service import Service

# Addresses of this kind are used inside of one machine only, and rarely.
_NETWORK = "10.213.77"
HOST = f"{_NETWORK}.1"
_BRIDGE = "pdtorture"


class NodeNetwork(Struct, frozen=True):
    """The network of one node: its number from 1, its address, and the program that starts the service there."""

    number: int
    program: Path

    @property
    def address(self) -> str:
        return f"{_NETWORK}.{self.number + 1}"

    def cut(self) -> None:
        """Let all packets from and to the node be lost, without telling either side."""
        _ip("link", "set", _outer(self.number), "down")

    def mend(self) -> None:
        _ip("link", "set", _outer(self.number), "up")


class Node(Service):
    """The service in a network namespace."""

    network: NodeNetwork

    @property
    def address(self) -> str:
        return f"http://{self.network.address}:{self.port}"

    def launch(self, *arguments: str) -> None:
        super().launch("--host", self.network.address, *arguments)


@contextmanager
def networks(folder: Path, count: int) -> Iterator[list[NodeNetwork]]:
    """Create the networks of some nodes, which reach each other and this process at `HOST`.

    Raises:
        SystemExit: this system does not let us.
    """
    if os.geteuid() != 0 or shutil.which("ip") is None:
        raise SystemExit("A cluster needs network namespaces: run as root, with Debian's iproute2.")
    _remove(count)
    try:
        _ip("link", "add", _BRIDGE, "type", "bridge")
        _ip("address", "add", f"{HOST}/24", "dev", _BRIDGE)
        _ip("link", "set", _BRIDGE, "up")
        yield [_create(folder, number) for number in range(1, count + 1)]
    finally:
        _remove(count)


def _create(folder: Path, number: int) -> NodeNetwork:
    name, inner = _namespace(number), f"pdinner{number}"
    _ip("netns", "add", name)
    _ip("link", "add", _outer(number), "type", "veth", "peer", "name", inner)
    _ip("link", "set", inner, "netns", name)
    _ip("link", "set", _outer(number), "master", _BRIDGE, "up")
    program = folder / f"playdock-{number}"
    # The service replaces the script, so that signals reach it.
    program.write_text(f'#!/bin/sh\nexec ip netns exec {name} {Path(sys.executable).with_name("playdock")} "$@"\n')
    program.chmod(0o755)
    network = NodeNetwork(number, program)
    _ip("-n", name, "address", "add", f"{network.address}/24", "dev", inner)
    for device in ("lo", inner):
        _ip("-n", name, "link", "set", device, "up")
    return network


def _remove(count: int) -> None:
    """Remove everything, also what a run left behind that was killed."""
    for number in range(1, count + 1):
        _ip("netns", "delete", _namespace(number), check=False)
        _ip("link", "delete", _outer(number), check=False)
    _ip("link", "delete", _BRIDGE, check=False)


def _namespace(number: int) -> str:
    return f"playdock-torture-{number}"


def _outer(number: int) -> str:
    return f"pdouter{number}"


def _ip(*arguments: str, check: bool = True) -> None:
    subprocess.run(["ip", *arguments], check=check, stderr=None if check else subprocess.DEVNULL)
