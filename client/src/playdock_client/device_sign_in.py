"""Waits until a player has confirmed the sign-in of this device (RFC 8628)."""

import time
from collections.abc import Callable

from playdock_client.connection import Server
from playdock_client.errors import ServerUnavailable, SignInPending, SignInRefused, SlowDown
from playdock_client.responses import SignIn

# RFC 8628, section 3.5: each slow_down increases the interval by 5 seconds.
_SLOW_DOWN_SECONDS = 5
# Limits for the values that a server can set.
_MAX_INTERVAL_SECONDS = 60
_MAX_SIGN_IN_SECONDS = 3600


def wait_for_token(server: Server, sign_in: SignIn, *, sleep: Callable[[float], None] = time.sleep) -> str:
    """Poll until the device is authorized, at the server's interval (RFC 8628, section 3.5).

    Raises SignInRefused if it is denied or the code expires.
    """
    interval, remaining = max(1, sign_in.interval), min(sign_in.expires_in, _MAX_SIGN_IN_SECONDS)
    while remaining > 0:
        delay = min(interval, _MAX_INTERVAL_SECONDS)
        sleep(delay)
        remaining -= delay
        try:
            return server.poll_token(sign_in.device_code)
        except SlowDown:
            interval += _SLOW_DOWN_SECONDS
        except SignInPending:
            continue
        except ServerUnavailable:
            interval *= 2
    raise SignInRefused("The code has expired. Start signing in again to get a new one.")
