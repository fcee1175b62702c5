"""The web socket at ``/api/v1/task``

The server opens with ``connect``, or with ``unauthenticated`` and closes. The client sends ``connect/<id>`` for each
task it watches, and ``disconnect/<id>`` to stop watching it. The server sends messages about a task
until it has ended, then ``disconnect/<id>``.
"""

from typing import Any

import anyio
import msgspec
from litestar import WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect
from litestar.handlers import WebsocketRouteHandler
from msgspec import Struct, field

from playdock.auth.actor import Actor
from playdock.auth.resolver import CredentialResolver
from playdock.features.tasks.poller import Snapshot, TaskPoller, Watcher
from playdock.features.tasks.schemas import message_of
from playdock.features.tasks.service import Tasks
from playdock.server.routing import actor_of, secret_of
from playdock.tasks.errors import TaskUnknown

# More than a page can show; it bounds what one socket makes the poller read.
_MAX_WATCHED_TASKS = 100
_TOO_MANY = f"One socket watches at most {_MAX_WATCHED_TASKS} tasks. Disconnect from another one first."

AnySocket = WebSocket[Any, Any, Any]


def task_socket(tasks: Tasks, credentials: CredentialResolver) -> WebsocketRouteHandler:
    """Return the route of the web socket."""
    poller = TaskPoller(tasks, credentials)

    @websocket("/api/v1/task")
    async def watch_tasks(socket: AnySocket) -> None:
        await _serve(socket, poller)

    return watch_tasks


async def _serve(socket: AnySocket, poller: TaskPoller) -> None:
    await socket.accept()
    if actor_of(socket) is None:
        await socket.send_text("unauthenticated")
        await socket.close()
        return
    await socket.send_text("connect")
    connection = _Connection(socket, poller, Watcher(secret_of(socket)))
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(connection.send_updates)
            await connection.receive_commands()
            group.cancel_scope.cancel()
    finally:
        poller.remove(connection.watcher)


class _Sent(Struct):
    """The last message about a task without its log; ``reset`` until the first is sent."""

    message: bytes = b""
    reset: bool = True


class _Connection(Struct):
    """One open socket and the tasks that are watched over it."""

    socket: AnySocket
    poller: TaskPoller
    watcher: Watcher
    sent: dict[str, _Sent] = field(default_factory=dict)

    async def receive_commands(self) -> None:
        """Carry out the client's commands until it closes the connection."""
        while True:
            try:
                command, _, task_id = (await self.socket.receive_text()).partition("/")
                await self._execute(command, task_id)
            except WebSocketDisconnect:
                return

    async def _execute(self, command: str, task_id: str) -> None:
        if command == "disconnect":
            self._unwatch(task_id)
        if command == "connect" and len(self.sent) >= _MAX_WATCHED_TASKS and task_id not in self.sent:
            await self.socket.send_text(f"error/{task_id}/Too many tasks/{_TOO_MANY}")
        elif command == "connect":
            self.sent[task_id] = _Sent()
            self.poller.watch(self.watcher, task_id)

    def _unwatch(self, task_id: str) -> None:
        self.sent.pop(task_id, None)
        self.watcher.positions.pop(task_id, None)

    async def send_updates(self) -> None:
        """Send what has changed after each poll, until the caller's credential is no longer valid."""
        while True:
            snapshot = await self.watcher.next_snapshot()
            actor = snapshot.actors[self.watcher.secret]
            if actor is None:
                await self.socket.send_text("unauthenticated")
                await self.socket.close()
                return
            for task_id, after in list(self.watcher.positions.items()):
                if snapshot.covers(task_id, after=after):
                    await self._send_task(snapshot, actor, task_id, after=after)

    async def _send_task(self, snapshot: Snapshot, actor: Actor, task_id: str, *, after: int) -> None:
        try:
            watched = snapshot.task(actor, task_id, after=after)
        except TaskUnknown as error:
            self._unwatch(task_id)
            await self.socket.send_text(f"error/{task_id}/{error.title()}/{error.detail}")
            return
        sent = self.sent[task_id]
        state = msgspec.json.encode(message_of(watched.task, (), reset=False))
        if sent.reset or watched.lines or state != sent.message:
            message = message_of(watched.task, watched.lines, reset=sent.reset)
            sent.message, sent.reset = state, False
            if watched.lines:
                self.watcher.positions[task_id] = watched.lines[-1].id
            await self.socket.send_text(msgspec.json.encode(message).decode())
        if watched.task.ended and self.sent.get(task_id) is sent:
            self._unwatch(task_id)
            await self.socket.send_text(f"disconnect/{task_id}")
