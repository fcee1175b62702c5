"""What systemd passes to a service, and what the service reports to systemd."""

import os
import socket
from pathlib import Path

import pytest

from playdock.kit.service_manager import SeveralSockets, notify, passed_socket


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"LISTEN_PID": str(os.getpid())},
        {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "0"},
        {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "x"},
        # Those that the process which started this one has got.
        {"LISTEN_PID": str(os.getppid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "playdock.socket"},
    ],
)
def test_no_socket_is_passed(environment: dict[str, str]) -> None:
    assert (passed_socket(environment), environment) == (None, {})


def test_several_passed_sockets_are_an_error() -> None:
    with pytest.raises(SeveralSockets, match=r"passed 2 sockets\. Leave one ListenStream="):
        passed_socket({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "2"})


@pytest.mark.parametrize("kind", ["path", "abstract", "missing", "none"])
def test_a_state_is_reported_if_somebody_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    name = f"playdock-{os.getpid()}"
    addresses = {"path": str(tmp_path / name), "abstract": f"\0{name}", "missing": str(tmp_path / "nobody"), "none": ""}
    monkeypatch.setenv("NOTIFY_SOCKET", addresses[kind].replace("\0", "@"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        if kind in ("path", "abstract"):
            manager.bind(addresses[kind])
            manager.settimeout(60)
        notify("READY=1")
        if kind in ("path", "abstract"):
            assert manager.recv(100) == b"READY=1"
