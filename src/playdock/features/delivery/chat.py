"""Sending notifications to chat services, each in a process that `chat_process.py` runs.

This module is loaded when something is sent.
"""

import os
import subprocess
import sys
from typing import Self

from msgspec import msgpack

from playdock.features.delivery.rules import ChatMessage, ChatMode, ChatStatus, Letter
from playdock.fetching.errors import MessageRefused
from playdock.kit.messages import Message, parameters_of
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.kit.translations import translated
from playdock.settings import Settings

# -P: do not search the working directory for modules.
_COMMAND = (sys.executable, "-P", "-m", "playdock.features.delivery.chat_process")
# Most services answer within a second; the process takes up to some seconds to start on a busy machine.
_SECONDS = 30.0
# The process gets no secrets of the service, only what it needs to start and to reach others.
_ENVIRONMENT = frozenset(
    {
        "LD_LIBRARY_PATH",
        "PYTHONPATH",
        "PYTHONHOME",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
    }
)


class ChatSender:
    """Sends messages to the URLs of users. Each message has a process of its own."""

    def __init__(self, settings: Settings, name: str, secret_key: SecretKey, *, seconds: float = _SECONDS) -> None:
        self._settings = settings
        self._name = name
        self._secret_key = secret_key
        self._seconds = seconds

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
        message = ChatMessage(url, ChatMode(self._settings.chat_delivery), str(title), str(body))
        try:
            done = subprocess.run(  # noqa: S603 - fixed command
                _COMMAND,
                input=msgpack.encode(message),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                timeout=self._seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise MessageRefused(Message("chat-timeout", count=round(self._seconds)), temporary=True) from None
        if done.returncode == ChatStatus.UNUSABLE:
            raise MessageRefused(Message("chat-url"), temporary=False)
        if done.returncode == ChatStatus.REFUSED:
            reason = done.stdout.decode("utf-8", "replace")
            raise MessageRefused(Message("chat-refused", reason=reason), temporary=True)
        if done.returncode != ChatStatus.SENT:
            # It needed too much memory or time, or apprise has failed.
            raise MessageRefused(Message("chat-failed"), temporary=True)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.upper() in _ENVIRONMENT}
