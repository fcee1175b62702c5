"""The web socket at ``/api/v1/task`` (decisions 6).

The server opens with ``connect``, or with ``unauthenticated`` and closes. The client sends ``connect/<id>`` for each
task it wants to watch, and ``disconnect/<id>`` for one it has seen enough of. The server sends messages about a task
until it has ended, then ``disconnect/<id>``.
"""

from dataclasses import dataclass, field
from typing import Any

import anyio
import msgspec
from anyio import to_thread
from litestar import WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect

from playdock.auth.actor import Actor
from playdock.auth.bearers import Bearers
from playdock.features.tasks.schemas import message_of
from playdock.features.tasks.service import Tasks
from playdock.http.routing import actor_of, secret_of
from playdock.jobs.errors import TaskUnknown

_SECONDS_BETWEEN_LOOKS = 0.2
_MOST_WATCHED = 100
_TOO_MANY = f"One socket watches at most {_MOST_WATCHED} tasks. Disconnect from another one first."

AnySocket = WebSocket[Any, Any, Any]


@websocket("/api/v1/task")
async def watch_tasks(socket: AnySocket) -> None:
    await socket.accept()
    actor = actor_of(socket)
    if actor is None:
        await socket.send_text("unauthenticated")
        await socket.close()
        return
    await socket.send_text("connect")
    services = socket.app.state.services
    watching = _Watching(socket, services.tasks, services.bearers)
    async with anyio.create_task_group() as group:
        group.start_soon(watching.tell)
        await watching.listen()
        group.cancel_scope.cancel()


@dataclass(slots=True)
class _Seen:
    """What the client knows of a task."""

    last_line: int = 0
    message: bytes = b""
    reset: bool = True


@dataclass(slots=True)
class _Watching:
    """One open socket and the tasks that are watched over it."""

    socket: AnySocket
    tasks: Tasks
    bearers: Bearers
    seen: dict[str, _Seen] = field(default_factory=dict)
    news: anyio.Event = field(default_factory=anyio.Event)

    async def listen(self) -> None:
        """Take the client's wishes until it leaves."""
        while True:
            try:
                wish, _, task_id = (await self.socket.receive_text()).partition("/")
                await self._follow(wish, task_id)
            except WebSocketDisconnect:
                return

    async def _follow(self, wish: str, task_id: str) -> None:
        if wish == "disconnect":
            self.seen.pop(task_id, None)
        if wish == "connect" and len(self.seen) >= _MOST_WATCHED and task_id not in self.seen:
            await self.socket.send_text(f"error/{task_id}/Too many tasks/{_TOO_MANY}")
        elif wish == "connect":
            self.seen[task_id] = _Seen()
            self.news.set()

    async def tell(self) -> None:
        """Send what is new, at most five times a second, as long as the caller may know it."""
        while True:
            actor = await to_thread.run_sync(self.bearers.look_up, secret_of(self.socket))
            if actor is None:
                await self.socket.send_text("unauthenticated")
                await self.socket.close()
                return
            for task_id, seen in list(self.seen.items()):
                await self._tell_of(actor, task_id, seen)
            await self._pause()

    async def _tell_of(self, actor: Actor, task_id: str, seen: _Seen) -> None:
        try:
            watched = await to_thread.run_sync(lambda: self.tasks.watch(actor, task_id, after=seen.last_line))
        except TaskUnknown as error:
            self.seen.pop(task_id, None)
            await self.socket.send_text(f"error/{task_id}/{error.title()}/{error.detail}")
            return
        state = msgspec.json.encode(message_of(watched.task, (), reset=False))
        if seen.reset or watched.lines or state != seen.message:
            message = message_of(watched.task, watched.lines, reset=seen.reset)
            await self.socket.send_text(msgspec.json.encode(message).decode())
        seen.last_line, seen.message, seen.reset = watched.last_line or seen.last_line, state, False
        if watched.task.ended:
            self.seen.pop(task_id, None)
            await self.socket.send_text(f"disconnect/{task_id}")

    async def _pause(self) -> None:
        """Wait for the next look: not at all for a new wish, for nothing else while nothing is watched."""
        if not self.seen:
            await self.news.wait()
        else:
            with anyio.move_on_after(_SECONDS_BETWEEN_LOOKS):
                await self.news.wait()
        self.news = anyio.Event()
