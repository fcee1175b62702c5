"""Calls to a server, with retries and decoded responses."""

from collections.abc import Callable, Mapping
from typing import Self, TypeVar
from urllib.parse import urlencode

import msgspec

from playdock_client.decoding import decode_json
from playdock_client.errors import BadResponse, UnencryptedConnection
from playdock_client.transport import Body, Broken, RetryPolicy, Transport, is_unencrypted

_T = TypeVar("_T")
# Far more than any list of the API; limits the memory that a faulty server can make the client use.
_MAX_RESPONSE_BYTES = 16 * 1024 * 1024
# A server that has never responded is probably not there, so the user is told soon.
_FIRST_RETRY_SECONDS = 5.0
_OK, _EMPTY = 200, 204
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class _Problem(msgspec.Struct):
    type: str = ""


class ServerCalls:
    """Calls to the server at `address` (scheme, host, port and path). `token`, if any, is sent with every request.

    If the connection fails, calls are retried for `retry_seconds`, but for at most 5 seconds until the server has
    responded once. An address with ``http`` is used only for this machine, unless `allow_http`: others on the network
    could read the token and change what is installed.
    """

    def __init__(
        self, address: str, token: str | None = None, *, retry_seconds: float = 60.0, allow_http: bool = False
    ) -> None:
        """Raise UnencryptedConnection if the address needs `allow_http`."""
        self._transport = Transport(address, token)
        if not allow_http and is_unencrypted(self.address):
            raise UnencryptedConnection(self.address)
        self.allow_http = allow_http
        self.retry_seconds = retry_seconds
        self._has_answered = False

    @property
    def address(self) -> str:
        """The normalized address: ``https://games.example.org``."""
        return self._transport.address

    @property
    def received(self) -> int:
        """The number of bytes received in the bodies of all responses."""
        return self._transport.received

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _get(self, target: str, kind: type[_T]) -> _T:
        return self._with_retries(lambda: self._read("GET", target, kind))

    def _post(self, target: str, form: Mapping[str, str], kind: type[_T]) -> _T:
        return self._read("POST", target, kind, body=urlencode(form).encode(), headers=_FORM)

    def _read(
        self,
        method: str,
        target: str,
        kind: type[_T],
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        expect: frozenset[int] = frozenset({_OK}),
    ) -> _T:
        with self._transport.opened(method, target, body=body, headers=headers, expect=expect) as response:
            return decoded(response.read_all(_MAX_RESPONSE_BYTES), kind)

    def _bytes(self, target: str, most: int = _MAX_RESPONSE_BYTES) -> bytes:
        with self._transport.opened("GET", target) as response:
            return response.read_all(most)

    def _delete(self, target: str) -> None:
        with self._transport.opened("DELETE", target, expect=frozenset({_OK, _EMPTY})):
            return

    def _with_retries(self, call: Callable[[], _T]) -> _T:
        retries = RetryPolicy(
            self.retry_seconds if self._has_answered else min(self.retry_seconds, _FIRST_RETRY_SECONDS)
        )
        while True:
            try:
                result = call()
            except Broken as broken:
                retries.wait(broken)
            else:
                self._has_answered = True
                return result


def problem_type(response: Body) -> str:
    """Return the type of a problem, or an empty string if the body is not a problem document."""
    try:
        return decode_json(response.read_all(_MAX_RESPONSE_BYTES), _Problem).type
    except msgspec.DecodeError:
        return ""


def decoded(data: bytes, kind: type[_T]) -> _T:
    """Return a response of the server. Raises BadResponse."""
    try:
        return decode_json(data, kind)
    except msgspec.MsgspecError as error:
        raise BadResponse("The response is not that of a Playdock server. Check the address.") from error
