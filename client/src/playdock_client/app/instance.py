"""Ensures that a user has one agent, and lets a second start talk to the first one."""

import http.client
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from playdock_client.documents import read_document, write_document
from playdock_client.errors import ClientError
from playdock_client.file_locks import try_lock

# An agent on a slow machine answers within a second; one that hangs is reported.
_TIMEOUT_SECONDS = 20.0
_OK = 200


class AgentUnresponsive(ClientError):
    """Another agent runs but does not respond."""

    def __init__(self) -> None:
        super().__init__("The app is running but does not respond. End its process and open it again.")


class RunningAgent(msgspec.Struct, frozen=True):
    """Where the agent listens, and the secret with which other processes of this user address it."""

    port: int
    secret: str
    pid: int

    def __repr__(self) -> str:
        return f"RunningAgent({self.port}, {self.pid})"


class OpenRequest(msgspec.Struct, frozen=True):
    """What a second start wants: a window, or only a link; a server or a ``playdock://`` link, if any; big mode."""

    window: bool = True
    target: str = ""
    big: bool = False


class OpenedLink(msgspec.Struct, frozen=True):
    """The link that shows it."""

    link: str


class InstanceFile:
    """The lock and the description of this user's agent."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "agent.json"

    @contextmanager
    def claimed(self) -> Iterator[bool]:
        """Become the user's agent; yield whether that succeeded. The claim ends with this process."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._folder / "agent.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield try_lock(descriptor)
        finally:
            os.close(descriptor)

    def publish(self, port: int, secret: str) -> None:
        """Describe this process to others."""
        write_document(self._file, RunningAgent(port, secret, os.getpid()))

    def withdraw(self) -> None:
        self._file.unlink(missing_ok=True)

    def ask(self, request: OpenRequest) -> OpenedLink:
        """Ask the running agent. Raises AgentUnresponsive."""
        try:
            agent = read_document(self._file, RunningAgent)
        except msgspec.MsgspecError:
            agent = None
        if agent is None:
            raise AgentUnresponsive
        connection = http.client.HTTPConnection("127.0.0.1", agent.port, timeout=_TIMEOUT_SECONDS)
        headers = {"Authorization": f"Bearer {agent.secret}", "Content-Type": "application/json"}
        try:
            connection.request("POST", "/_client/instance", msgspec.json.encode(request), headers)
            response = connection.getresponse()
            body = response.read()
            if response.status != _OK:
                raise AgentUnresponsive
            return msgspec.json.decode(body, type=OpenedLink)
        except (OSError, http.client.HTTPException, msgspec.MsgspecError) as error:
            raise AgentUnresponsive from error
        finally:
            connection.close()
