"""Whether a browser sent a request because another site's page made it (decisions 3)."""

from collections.abc import Mapping
from urllib.parse import urlsplit

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES = frozenset({"same-origin", "none"})


def is_foreign(method: str, headers: Mapping[str, str], *, own: str) -> bool:
    """Tell whether a state-changing request comes from a foreign page.

    Browsers say where a request comes from in ``Sec-Fetch-Site``, older ones in ``Origin``; a program that is no
    browser says neither and cannot be abused by another site. ``own`` is the service's external address; the address
    by which the browser reached the service counts as its own too.
    """
    if method in _SAFE_METHODS:
        return False
    return is_foreign_page(headers, own=own)


def is_foreign_page(headers: Mapping[str, str], *, own: str) -> bool:
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in _OWN_SITES
    origin = headers.get("origin")
    return origin is not None and not _is_own(origin, headers, own=own)


def is_foreign_navigation(headers: Mapping[str, str], *, own: str) -> bool:
    """Tell whether a browser may have come here by another site's link, for what a link must not set off.

    By plain http browsers send no ``Sec-Fetch-Site``; then the page before must be named and be one of ours.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in _OWN_SITES
    return not _is_own(headers.get("referer", ""), headers, own=own)


def _is_own(page: str, headers: Mapping[str, str], *, own: str) -> bool:
    """Tell whether a page is the service's, by its external address or by the one that the browser used.

    At the external address's host the scheme counts too: whoever sits on the way can make up pages of plain http there.
    """
    try:
        parts = urlsplit(page)
    except ValueError:
        return False
    if parts.netloc == urlsplit(own).netloc:
        return f"{parts.scheme}://{parts.netloc}" == own
    return parts.netloc == headers.get("host")
