"""Sending notifications to browsers through the push services that these have chosen (RFC 8030).

This module is loaded when something is sent.
"""

from typing import Self

import msgspec

from playdock.features.delivery import rules
from playdock.features.delivery.push_encryption import ServerKey, encrypt
from playdock.features.delivery.rules import Letter, PushAnswer
from playdock.features.delivery.service import Deliveries
from playdock.fetching.errors import FetchFailed, MessageRefused
from playdock.fetching.public_addresses import Resolve, is_public, place_of, resolve
from playdock.fetching.requests import FetchLimits, Request, origin_of
from playdock.fetching.web import Fetcher
from playdock.kit.messages import Message, parameters_of
from playdock.kit.secret_key import Purpose
from playdock.kit.translations import translated
from playdock.models import PushSubscription

# Push services only queue the message.
_SECONDS = 10.0
# A body may have 4,096 bytes, in which every character may take four, and an escaped one six.
_MAX_TITLE, _MAX_BODY = 120, 400


class PushSender:
    """Sends messages to all browsers of a user, and each one once to a browser."""

    def __init__(self, deliveries: Deliveries, name: str, web: Fetcher, *, resolve: Resolve = resolve) -> None:
        self._deliveries = deliveries
        self._settings = deliveries.settings
        self._secret_key = deliveries.secret_key
        self._name = name
        self._web = web
        self._resolve = resolve

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def send(self, letter: Letter) -> None:
        """Send a message about notifications to the browsers that have not accepted it yet.

        Raises:
            MessageRefused: a push service does not accept it, or not now.
        """
        browsers, message = self._deliveries.browsers_of(letter.addressee.id), self._message(letter)
        answers = [self._deliver(each, letter, message) for each in browsers if each.delivered != letter.message]
        if PushAnswer.LATER in answers:
            raise MessageRefused(Message("push-unavailable"), temporary=True)
        if PushAnswer.REFUSED in answers:
            raise MessageRefused(Message("push-refused"), temporary=False)

    def _deliver(self, browser: PushSubscription, letter: Letter, message: bytes) -> PushAnswer:
        answer = rules.answer_of(self._post(browser, letter, message))
        self._deliveries.note_answer(browser, letter.message, answer)
        return answer

    def _post(self, browser: PushSubscription, letter: Letter, message: bytes) -> int | None:
        """Send a message, and return the status of the response; None without one."""
        url = self._secret_key.decrypt(browser.endpoint, Purpose.PUSH)
        auth_secret = self._secret_key.decrypt(browser.auth_secret, Purpose.PUSH)
        if url is None or auth_secret is None:
            # They were encrypted with another secret key, as was the key that the browser expects.
            return rules.GONE_STATUS
        host, port = place_of(url)
        try:
            addresses = [each for each in self._resolve(host, port) if is_public(each)]
        except (OSError, UnicodeError):
            return None
        if not addresses:
            return rules.FORBIDDEN_STATUS
        origin = origin_of(url)
        address = self._settings.address
        contact = address if address.startswith("https:") else ""
        key = ServerKey(self._secret_key.seed(Purpose.PUSH))
        headers = {
            "Authorization": key.authorization(rules.audience_of(url), at=self._deliveries.clock(), contact=contact),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(int(rules.MAX_AGE.total_seconds())),
            # A push service replaces a message that it has not delivered with one of the same topic.
            "Topic": letter.message.replace("-", ""),
        }
        body = encrypt(message, public_key=browser.public_key, auth_secret=auth_secret)
        request = Request(url, method="POST", headers=headers, body=body, address=addresses[0])
        limits = FetchLimits(frozenset((origin,)), _SECONDS, max_bytes=0, follow=False)
        try:
            return self._web.fetch(request, limits).status
        except FetchFailed:
            return None

    def _message(self, letter: Letter) -> bytes:
        """Return what the service worker of the pages shows (`web/public/service-worker.js`)."""
        first = letter.items[0]
        title, body, link = first.title, first.description, first.link
        if letter.total > 1:
            several = Message("mail-several", count=letter.total, server=self._name)
            language = letter.addressee.preferences.language
            title = translated(language, text=several, code=several.code, parameters=parameters_of(several))
            body, link = "\n".join(each.title for each in letter.items), "/"
        shown = {"title": title[:_MAX_TITLE], "body": body[:_MAX_BODY], "link": link, "tag": letter.message}
        return msgspec.json.encode(shown)
