"""Sending notifications to chat services with apprise, which knows more than a hundred of them.

This module is loaded when something is sent, or somebody enters a URL.
"""

import logging
from typing import Self

import apprise

from playdock.features.delivery.rules import ChatMode, Letter, is_chat_allowed
from playdock.fetching.errors import MessageRefused
from playdock.kit.messages import Message, parameters_of
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.kit.translations import translated
from playdock.settings import Settings

# A URL can set its own, so that one user could delay the messages of all others.
_SECONDS = 10.0
# What a service said, for a person to read.
_MAX_REASON = 200


class ChatSender:
    """Sends messages to the URLs of users. Each message has a connection of its own."""

    def __init__(self, settings: Settings, name: str, secret_key: SecretKey) -> None:
        self._settings = settings
        self._name = name
        self._secret_key = secret_key

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def send(self, letter: Letter) -> None:
        """Send a message about notifications.

        Raises:
            MessageRefused: the URL cannot be used, or the service does not accept the message.
        """
        preferences = letter.addressee.preferences
        several = Message("mail-several", count=letter.total, server=self._name)
        title = translated(preferences.language, text=several, code=several.code, parameters=parameters_of(several))
        lines = [
            "\n".join(filter(None, (each.title, each.description, self._settings.page(each.link))))
            for each in letter.items
        ]
        self._notify(self._secret_key.decrypt(preferences.chat_url, Purpose.CHAT_URL) or "", title, "\n\n".join(lines))

    def send_test(self, url: str) -> None:
        """Send a message that shows that a URL works. Raises as `send`."""
        self._notify(url, self._name, Message("chat-test", server=self._name))

    def _notify(self, url: str, title: str, body: str) -> None:
        service = service_of(url, ChatMode(self._settings.chat_delivery))
        if service is None:
            raise MessageRefused(Message("chat-url"), temporary=False)
        service.socket_connect_timeout = service.socket_read_timeout = _SECONDS
        # A service that redirects could lead to another server than the administrator allows.
        service.redirects = False
        with apprise.LogCapture(level=logging.WARNING) as log:  # type: ignore[no-untyped-call]
            if not service.notify(title=title, body=body, body_format=apprise.NotifyFormat.TEXT):
                reason = " ".join(log.getvalue().split())[:_MAX_REASON]
                raise MessageRefused(Message("chat-refused", reason=reason), temporary=True)


def service_of(url: str, mode: ChatMode) -> apprise.NotifyBase | None:
    """Return the service of a URL, None if the URL is not valid or not allowed."""
    found = apprise.Apprise.instantiate(url, suppress_exceptions=True)
    if not isinstance(found, apprise.NotifyBase) or not is_chat_allowed(str(found.secure_protocol), mode):
        return None
    return found
