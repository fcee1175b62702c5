"""What is counted, and for how long (decisions 3)."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

WINDOW = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most ``most`` failures against ``key`` within the window."""

    key: str
    most: int
    window: timedelta = WINDOW


def sign_in_limits(folded_username: str, address: str) -> tuple[Limit, ...]:
    return (Limit(f"account:{folded_username}", 10), Limit(f"sign-in:{network(address)}", 100))


def password_limits(user_id: str) -> tuple[Limit, ...]:
    return (Limit(f"password:{user_id}", 10),)


def invitation_limits(address: str) -> tuple[Limit, ...]:
    return (Limit(f"invitation:{network(address)}", 50),)


def openid_limits(address: str) -> tuple[Limit, ...]:
    return (Limit(f"openid:{network(address)}", 300),)


def device_limits(address: str) -> tuple[Limit, ...]:
    """Give how many devices may ask to be let in within the time that their codes live, by address and in all."""
    window = timedelta(minutes=15)
    return (Limit(f"device:{network(address)}", 20, window), Limit("device", 1000, window))


def user_code_limits(user_id: str, address: str) -> tuple[Limit, ...]:
    return (Limit(f"user-code:{user_id}", 10), Limit(f"user-code:{network(address)}", 50))


def network(address: str) -> str:
    """Give what one person holds: an IPv4 address, or the /64 network of an IPv6 address."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(mapped) if mapped else str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def wait(failures: Sequence[datetime], limit: Limit, *, now: datetime) -> int:
    """Give the seconds until another attempt is heard; 0 if it is heard now.

    ``failures`` are the moments of the newest failures within the window, newest first, at most ``limit.most``.
    """
    if len(failures) < limit.most:
        return 0
    return max(1, round((failures[limit.most - 1] + limit.window - now).total_seconds()))
