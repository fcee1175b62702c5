"""The server processes, which a second SIGTERM or SIGINT ends at once, although responses are being sent."""

import asyncio
import os
import signal
import socket
from types import FrameType

import uvicorn
from uvicorn.supervisors import Multiprocess

from playdock.kit.stopping import END_NOW


class OneProcess(uvicorn.Server):
    """uvicorn's server in this process."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            signal.raise_signal(END_NOW)
        else:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Connections that wait to be accepted would be reset. Accepting them takes three rounds of the event loop.
        for _ in range(3):
            await asyncio.sleep(0)
        await super().shutdown(sockets)


class SeveralProcesses(Multiprocess):
    """uvicorn's process that starts the others and passes signals on to them."""

    def terminate_all(self) -> None:
        # Otherwise connections would wait in its queue until the others have ended, and then be reset.
        for listening in self.sockets:
            listening.close()
        super().terminate_all()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end_now)

    def _end_now(self, _number: int, _frame: FrameType | None) -> None:
        for process in self.processes:
            if process.exitcode is None and process.pid is not None:
                os.kill(process.pid, END_NOW)
