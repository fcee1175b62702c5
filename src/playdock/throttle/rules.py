"""The limits of failed attempts.

Ten guesses of a password within ten minutes are more than a user needs and far too few to find one. They are counted
per account and network, so that an attacker does not stop the owner, who is elsewhere. The limits per network are
higher, because many users may share an address behind a proxy or a mobile network.

The limits of IPv6 networks apply to a /64 and, four times as high, to the /48 around it.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from playdock.kit.identifiers import digest
from playdock.kit.networks import networks_of

# After the last failure a user waits at most this long, so that nobody can be locked out for hours.
WINDOW = timedelta(minutes=10)
# The lifetime of the codes of devices.
_DEVICE_WINDOW = timedelta(minutes=10)

# See the module's docstring for these two.
_MAX_PER_ACCOUNT = 10
_MAX_SIGN_INS_PER_NETWORK = 100
# From whichever networks, ten times what one may do. Then the account is slowed down, but never locked.
_MAX_PER_ACCOUNT_IN_TOTAL = 100
# Short enough to wait for, and at most 17,280 guesses a day from any number of networks.
_ACCOUNT_PAUSE = timedelta(seconds=5)
# Guesses of an invitation's id, which nobody types.
_MAX_INVITATIONS_PER_NETWORK = 50
# OpenID sign-ins count even if they succeed, so a shared address needs more.
_MAX_OPENID_PER_NETWORK = 300
# A household authorizes a few devices.
_MAX_DEVICES_PER_NETWORK = 20
# Bounds the pending requests in the database, whose user codes must remain hard to guess.
_MAX_DEVICES = 1000
# Guesses of the user code of another device.
_MAX_USER_CODES_PER_NETWORK = 50
# A /48 is one site with several networks, or several customers of a provider.
_LARGE_NETWORK_FACTOR = 4


class Limit(Struct, frozen=True):
    """At most ``most`` failures of ``key`` within the window; with a ``pause``, further ones at this interval."""

    key: str
    most: int
    window: timedelta = WINDOW
    pause: timedelta | None = None


def sign_in_limits(normalized_name: str, address: str) -> tuple[Limit, ...]:
    """Return the limits of a browser that is not known for the account."""
    account = _account(normalized_name)
    return (
        *_per_network(account, address, _MAX_PER_ACCOUNT),
        *_per_network("sign-in", address, _MAX_SIGN_INS_PER_NETWORK),
        Limit(account, _MAX_PER_ACCOUNT_IN_TOTAL, pause=_ACCOUNT_PAUSE),
    )


def known_browser_limits(browser: str) -> tuple[Limit, ...]:
    """Return the limits of a browser in which the user has signed in before."""
    return (Limit(f"browser:{digest(browser)}", _MAX_PER_ACCOUNT),)


def password_limits(user_id: str) -> tuple[Limit, ...]:
    return (Limit(f"password:{user_id}", _MAX_PER_ACCOUNT),)


def keys_of_user(normalized_name: str, user_id: str) -> tuple[str, ...]:
    """Return what the keys of all failures begin with that count for an account."""
    return (_account(normalized_name), *(limit.key for limit in password_limits(user_id)))


def invitation_limits(address: str) -> tuple[Limit, ...]:
    return _per_network("invitation", address, _MAX_INVITATIONS_PER_NETWORK)


def openid_limits(address: str) -> tuple[Limit, ...]:
    return _per_network("openid", address, _MAX_OPENID_PER_NETWORK)


def device_limits(address: str) -> tuple[Limit, ...]:
    """Return the limits of device authorizations, per network and in total, for the lifetime of their codes."""
    return (
        *_per_network("device", address, _MAX_DEVICES_PER_NETWORK, window=_DEVICE_WINDOW),
        Limit("device", _MAX_DEVICES, _DEVICE_WINDOW),
    )


def user_code_limits(user_id: str, address: str) -> tuple[Limit, ...]:
    return (
        Limit(f"user-code:{user_id}", _MAX_PER_ACCOUNT),
        *_per_network("user-code", address, _MAX_USER_CODES_PER_NETWORK),
    )


def listened_code_limits(address: str) -> tuple[Limit, ...]:
    """Return the limits of guesses of the code of another client by a client that waits for its approval."""
    return _per_network("user-code", address, _MAX_USER_CODES_PER_NETWORK)


def wait(failures: Sequence[datetime], limit: Limit, *, now: datetime) -> int:
    """Return the seconds until another attempt is allowed, 0 if it is allowed now.

    ``failures`` are the times of the last failures within the window, newest first and at most ``limit.most``.
    """
    if len(failures) < limit.most:
        return 0
    allowed = failures[0] + limit.pause if limit.pause else failures[limit.most - 1] + limit.window
    return max(0, math.ceil((allowed - now).total_seconds()))


def _account(normalized_name: str) -> str:
    """Return the key of an account. A digest, because people also enter their password in the field for the name."""
    return f"account:{digest(normalized_name)}"


def _per_network(prefix: str, address: str, most: int, *, window: timedelta = WINDOW) -> tuple[Limit, ...]:
    small, *large = networks_of(address)
    return (
        Limit(f"{prefix}:{small}", most, window),
        *(Limit(f"{prefix}:{network}", _LARGE_NETWORK_FACTOR * most, window) for network in large),
    )
