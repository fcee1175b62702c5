"""The access log: one line for each request, without anything that gives access.

Neither queries nor headers are logged, since they contain the secrets of links, invitations and credentials. What looks
like a secret in a path is masked, because somebody may have pasted it there.
"""

import re
from time import perf_counter
from typing import Any
from urllib.parse import quote

import structlog

from playdock.server.exchanges import Exchange

_log = structlog.get_logger()

# What our secrets look like (`kit/identifiers.py`), and what ids may look like that are a secret, such as those of
# invitations. The paths of the API contain no such ids.
_SECRET = re.compile(r"\bpd[a-z]_[\w-]+")
_SECRET_OR_ID = re.compile(r"[\w~-]{16,}")
_API = ("/api/", "/oauth/")
_MASK = "***"
# Longer than every path of the API with a name in it; only a part of what anybody may send is logged.
_MAX_CHARACTERS = 500


class AccessLog:
    """Logs each exchange at its end."""

    observes_all = True

    def on_start(self, state: dict[str, Any]) -> None:
        """Do nothing: the connections are not logged."""

    def on_sent(self, route: str, count: int) -> None:
        """Do nothing: the exchange counts."""

    def on_end(self, exchange: Exchange) -> None:
        _log.info(
            "request",
            request=exchange.request_id,
            method=exchange.method,
            path=masked(exchange.path, route=exchange.route),
            status=exchange.status or None,
            bytes=exchange.sent,
            seconds=round(perf_counter() - exchange.began, 4),
            user=exchange.caller or None,
            address=exchange.address or None,
        )


def masked(path: bytes, *, route: str) -> str:
    """Return a path as it may be logged; ``route`` is the template that it matches, empty if it matches none."""
    text = quote(path, safe="/%:@!$&'()*+,;=~")[:_MAX_CHARACTERS]
    return (_SECRET if route.startswith(_API) else _SECRET_OR_ID).sub(_MASK, text)
