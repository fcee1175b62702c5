"""Requests that hash a password."""

from collections.abc import Callable
from typing import TypeVar

from playdock.auth.passwords import PasswordThreads
from playdock.kit.networks import networks_of
from playdock.server.disconnection import disconnected
from playdock.server.routing import AnyRequest, address_of

_T = TypeVar("_T")


async def run_password_request(request: AnyRequest, threads: PasswordThreads, call: Callable[[], _T]) -> _T:
    """Run a call that hashes a password, when it is the turn of the caller's network and unless the caller hangs up.

    The body of the request must have been read.

    Raises:
        PasswordQueueFull: too many requests are waiting.
    """
    # The largest network, because a client with a /48 can send each request from another /64.
    network = networks_of(address_of(request))[-1]
    return await threads.run(call, network=network, hung_up=disconnected(request.receive))
