"""Where a browser on this machine finds the page on which a sign-in is confirmed. Pure: no I/O."""

from urllib.parse import urlencode, urlsplit

import msgspec

from playdock_client.responses import SignIn
from playdock_client.transport import is_loopback


def reachable(sign_in: SignIn, address: str) -> SignIn:
    """Return a sign-in whose page a browser on this machine can open.

    A server without an external URL sends the address of its own machine. Then the page is at the used address.
    """
    named, used = (urlsplit(each).hostname or "" for each in (sign_in.verification_uri, address))
    if not is_loopback(named) or is_loopback(used):
        return sign_in
    page = f"{address}/device"
    complete = f"{page}?{urlencode({'user_code': sign_in.user_code})}"
    return msgspec.structs.replace(sign_in, verification_uri=page, verification_uri_complete=complete)
