"""Sending a message to a chat service with apprise, which knows more than a hundred of them, in a process of its own.

A user may have chosen a server that answers without end. This process therefore has a limited memory, and is ended
after a while; its log has what concerns this message only.

    python -m playdock.features.delivery.chat_process

The message is read from standard input, as a `ChatMessage` in MessagePack. The status is a `ChatStatus`. If the message
is refused, the reason is written to standard output.
"""

import logging
import resource
import sys

import apprise
from msgspec import msgpack

from playdock.features.delivery.rules import ChatMessage, ChatMode, ChatStatus, is_chat_allowed
from playdock.kit.process_limits import restrict

# It logs URLs, which are secrets.
_LOGGER = logging.getLogger("apprise")
_LOGGER.propagate = False
_LOGGER.addHandler(logging.NullHandler())
# Some 140 MB are code and libraries, and a thread reserves 70 MB; no service answers with more than a few kilobytes.
_MAX_MEMORY_BYTES = 384 * 1024**2
# Far more than a message takes, on any machine.
_PROCESSOR_SECONDS = 30
# For each connection and each read; services that work take a second.
_SECONDS = 10.0
# What a service said, for a person to read.
_MAX_REASON = 200


def service_of(url: str, mode: ChatMode) -> apprise.NotifyBase | None:
    """Return the service of a URL, None if the URL is not valid or not allowed."""
    found = apprise.Apprise.instantiate(url, suppress_exceptions=True)
    if not isinstance(found, apprise.NotifyBase) or not is_chat_allowed(str(found.secure_protocol), mode):
        return None
    return found


def main() -> ChatStatus:
    """Send the message, and return the status of the process."""
    message = msgpack.decode(sys.stdin.buffer.read(), type=ChatMessage)
    restrict({resource.RLIMIT_AS: _MAX_MEMORY_BYTES, resource.RLIMIT_CPU: _PROCESSOR_SECONDS})
    service = service_of(message.url, message.mode)
    if service is None:
        return ChatStatus.UNUSABLE
    # A URL can set its own.
    service.socket_connect_timeout = service.socket_read_timeout = _SECONDS
    # A service that redirects could lead to another server than the administrator allows.
    service.redirects = False
    with apprise.LogCapture(level=logging.WARNING, fmt="%(message)s") as log:  # type: ignore[no-untyped-call]
        if service.notify(title=message.title, body=message.body, body_format=apprise.NotifyFormat.TEXT):
            return ChatStatus.SENT
        reason = " ".join(log.getvalue().split())[:_MAX_REASON]
    sys.stdout.buffer.write(reason.encode("utf-8", "replace"))
    return ChatStatus.REFUSED


if __name__ == "__main__":
    sys.exit(main())
