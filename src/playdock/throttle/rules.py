"""The limits of failed attempts.

Ten guesses of a password within ten minutes are more than a user needs and far too few to find one. The limits per
address are higher, because many users may share an address behind a proxy or a mobile network.
"""

import ipaddress
from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

# After the last failure a user waits at most this long, so that nobody can be locked out for hours.
WINDOW = timedelta(minutes=10)
# The lifetime of the codes of devices.
_DEVICE_WINDOW = timedelta(minutes=15)

# See the module's docstring for these two.
_MAX_PER_ACCOUNT = 10
_MAX_SIGN_INS_PER_ADDRESS = 100
# Guesses of an invitation's id, which nobody types.
_MAX_INVITATIONS_PER_ADDRESS = 50
# OpenID sign-ins count even if they succeed, so a shared address needs more.
_MAX_OPENID_PER_ADDRESS = 300
# A household authorizes a few devices.
_MAX_DEVICES_PER_ADDRESS = 20
# Bounds the pending requests in the database, whose user codes must remain hard to guess.
_MAX_DEVICES = 1000
# Guesses of the user code of another device.
_MAX_USER_CODES_PER_ADDRESS = 50


class Limit(Struct, frozen=True):
    """At most ``most`` failures of ``key`` within the window."""

    key: str
    most: int
    window: timedelta = WINDOW


def sign_in_limits(normalized_name: str, address: str) -> tuple[Limit, ...]:
    return (
        Limit(f"account:{normalized_name}", _MAX_PER_ACCOUNT),
        Limit(f"sign-in:{network(address)}", _MAX_SIGN_INS_PER_ADDRESS),
    )


def password_limits(user_id: str) -> tuple[Limit, ...]:
    return (Limit(f"password:{user_id}", _MAX_PER_ACCOUNT),)


def invitation_limits(address: str) -> tuple[Limit, ...]:
    return (Limit(f"invitation:{network(address)}", _MAX_INVITATIONS_PER_ADDRESS),)


def openid_limits(address: str) -> tuple[Limit, ...]:
    return (Limit(f"openid:{network(address)}", _MAX_OPENID_PER_ADDRESS),)


def device_limits(address: str) -> tuple[Limit, ...]:
    """Return the limits of device authorizations, per address and in total, for the lifetime of their codes."""
    return (
        Limit(f"device:{network(address)}", _MAX_DEVICES_PER_ADDRESS, _DEVICE_WINDOW),
        Limit("device", _MAX_DEVICES, _DEVICE_WINDOW),
    )


def user_code_limits(user_id: str, address: str) -> tuple[Limit, ...]:
    return (
        Limit(f"user-code:{user_id}", _MAX_PER_ACCOUNT),
        Limit(f"user-code:{network(address)}", _MAX_USER_CODES_PER_ADDRESS),
    )


def network(address: str) -> str:
    """Return an IPv4 address, or the /64 network of an IPv6 address, which is the smallest that a user gets."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(mapped) if mapped else str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def wait(failures: Sequence[datetime], limit: Limit, *, now: datetime) -> int:
    """Return the seconds until another attempt is allowed, 0 if it is allowed now.

    ``failures`` are the times of the last failures within the window, newest first and at most ``limit.most``.
    """
    if len(failures) < limit.most:
        return 0
    return max(1, round((failures[limit.most - 1] + limit.window - now).total_seconds()))
