"""Controls a Chromium browser with the DevTools protocol over two pipes, which no other process has.

The browser ends when the pipes are closed.
"""

import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence

import msgspec

from playdock_client.decoding import decode_json

# A browser answers at once, unless it is just starting.
_ANSWER_SECONDS = 5.0
_END = b"\0"
_PIECE = 65_536
# The browser expects the pipes at descriptors 3 and 4. A shell puts them there, because threads forbid `preexec_fn`.
# Shells duplicate only descriptors of one digit, but can open any.
_SHELL = 'exec "$@" 3</dev/fd/{} 4>/dev/fd/{}'


class _Target(msgspec.Struct, rename="camel"):
    target_id: str
    type: str
    url: str


class _Result(msgspec.Struct, rename="camel"):
    target_infos: list[_Target] = []


class _Answer(msgspec.Struct):
    id: int = 0
    result: _Result = msgspec.field(default_factory=_Result)


class ControlPipe:
    """The pipes to one browser."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start the browser."""
        browser_reads, self._writes = os.pipe()
        self._reads, browser_writes = os.pipe()
        self._buffer = b""
        self._number = 0
        try:
            self.process = subprocess.Popen(  # noqa: S603 - a browser of this machine
                ["/bin/sh", "-c", _SHELL.format(browser_reads, browser_writes), "sh", *command],
                env=dict(environment),
                pass_fds=(browser_reads, browser_writes),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError:
            self.close()
            raise
        finally:
            os.close(browser_reads)
            os.close(browser_writes)

    def close(self) -> None:
        os.close(self._reads)
        os.close(self._writes)

    def bring_to_front(self, origin: str) -> bool:
        """Bring the window that shows a page of an origin to the front; return whether there is one."""
        try:
            targets = self._call("Target.getTargets").target_infos
            found = [each for each in targets if each.type == "page" and each.url.startswith(f"{origin}/")]
            if not found:
                return False
            self._call("Target.activateTarget", targetId=found[0].target_id)
        except (OSError, msgspec.MsgspecError):
            return False
        return True

    def _call(self, method: str, **parameters: str) -> _Result:
        self._number += 1
        request = {"id": self._number, "method": method, "params": parameters}
        os.write(self._writes, msgspec.json.encode(request) + _END)
        deadline = time.monotonic() + _ANSWER_SECONDS
        while True:
            answer = decode_json(self._message(deadline), _Answer)
            if answer.id == self._number:
                return answer.result

    def _message(self, deadline: float) -> bytes:
        """Return the next message. Raises TimeoutError, BrokenPipeError."""
        while _END not in self._buffer:
            if not select.select([self._reads], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError
            piece = os.read(self._reads, _PIECE)
            if not piece:
                raise BrokenPipeError
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(_END)
        return message
