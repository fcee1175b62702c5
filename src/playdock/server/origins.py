"""Detection of cross-site requests, as a defense against cross-site request forgery."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from playdock.kit.web_urls import is_origin, is_redirectable, origin_part

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES = frozenset({"same-origin", "none"})


def is_foreign(method: str, headers: Mapping[str, str], *, own: str) -> bool:
    """Return whether a state-changing request was made by a page of another site.

    Browsers send the relation to the page in ``Sec-Fetch-Site``, older ones its origin in ``Origin``. Other programs
    send neither, and cannot be abused by other sites. ``own`` is the origin of the service's external URL; the
    host that the browser used to reach the service is accepted too.
    """
    if method in _SAFE_METHODS:
        return False
    return is_foreign_page(headers, own=own)


def is_foreign_page(headers: Mapping[str, str], *, own: str) -> bool:
    """Return whether a request of any method was made by a page of another site."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in _OWN_SITES
    origin = headers.get("origin")
    return origin is not None and not _is_own(origin, headers, own=own)


def is_sent_by_page(headers: Mapping[str, str]) -> bool:
    """Return whether a page sent a request that changes something: programs other than browsers send neither header."""
    return "sec-fetch-site" in headers or "origin" in headers


def is_foreign_navigation(headers: Mapping[str, str], *, own: str) -> bool:
    """Return whether a navigation may come from another site's link, for GET requests with side effects.

    Over plain http, browsers do not send ``Sec-Fetch-Site``. Then ``Referer`` must name a page of the service.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in _OWN_SITES
    return not _is_own(headers.get("referer", ""), headers, own=own)


def is_followed_link(headers: Mapping[str, str], *, own: str) -> bool:
    """Return whether a navigation is known to come from another site: by its link, its form or its redirect.

    Unlike `is_foreign_navigation`, a request that says nothing about its origin is not: it was typed, or sent by a
    program. Browsers that use https always say it.
    """
    site, referer = headers.get("sec-fetch-site"), headers.get("referer", "")
    if site is not None:
        return site not in _OWN_SITES
    return referer != "" and not _is_own(referer, headers, own=own)


def visited_origin(headers: Mapping[str, str]) -> str | None:
    """Return the origin at which a browser visits the service, None if no page of that origin sent the request.

    Anyone can send any ``Host``. So it counts only if it is the origin of the page that sent the request, which
    browsers report in ``Origin`` or ``Referer``, and scripts cannot forge.
    """
    page = headers.get("origin") or headers.get("referer", "")
    origin = origin_part(page)
    if headers.get("sec-fetch-site", "same-origin") != "same-origin" or not is_redirectable(page):
        return None
    return origin if is_origin(origin) and urlsplit(origin).netloc == headers.get("host") else None


def _is_own(page: str, headers: Mapping[str, str], *, own: str) -> bool:
    """Return whether a page belongs to the service: to its external URL or to the host that the browser used.

    For the host of the external URL the scheme must match too, because an attacker on the network can forge plain http
    pages of that host.
    """
    try:
        parts = urlsplit(page)
    except ValueError:
        return False
    if parts.netloc == urlsplit(own).netloc:
        return f"{parts.scheme}://{parts.netloc}" == own
    return parts.netloc == headers.get("host")
