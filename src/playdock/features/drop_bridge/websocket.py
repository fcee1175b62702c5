"""The web socket at which a client that shows a code waits for its approval."""

from typing import Any

import anyio
import msgspec
from anyio import to_thread
from litestar import WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect
from litestar.handlers import WebsocketRouteHandler

from playdock.features.drop_bridge.errors import DropRequestUnknown
from playdock.features.drop_bridge.rules import POLL_SECONDS
from playdock.features.drop_bridge.sign_in import DropSignIns
from playdock.kit.errors import PlaydockError
from playdock.server.routing import address_of

AnySocket = WebSocket[Any, Any, Any]


def code_socket(sign_ins: DropSignIns) -> WebsocketRouteHandler:
    """Return the route of the web socket."""

    @websocket("/api/v1/client/auth/code/ws")
    async def wait_for_approval(socket: AnySocket) -> None:
        await socket.accept()
        async with anyio.create_task_group() as group:
            group.start_soon(_close_with_client, socket, group.cancel_scope)
            await _send_token(socket, sign_ins)

    return wait_for_approval


async def _send_token(socket: AnySocket, sign_ins: DropSignIns) -> None:
    """Send the token as soon as a user has approved the client. The client closes the socket then."""
    code, address, waited = socket.headers.get("authorization", ""), address_of(socket), False
    try:
        while (token := await to_thread.run_sync(lambda: sign_ins.listen(code, address=address))) is None:
            waited = True
            await anyio.sleep(POLL_SECONDS)
    except PlaydockError as error:
        is_over = waited and isinstance(error, DropRequestUnknown)
        await _send(socket, "error", "Request timed out." if is_over else error.detail)
        await socket.close()
        return
    await _send(socket, "token", token)


async def _send(socket: AnySocket, kind: str, value: str) -> None:
    await socket.send_text(msgspec.json.encode({"type": kind, "value": value}).decode())


async def _close_with_client(socket: AnySocket, scope: anyio.CancelScope) -> None:
    """End the connection when the client does."""
    try:
        while True:
            await socket.receive_text()
    except WebSocketDisconnect:
        scope.cancel()
