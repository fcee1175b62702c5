"""The web application: what is built from `web/`, sent as it was prepared, with the headers that keep it safe.

Whoever opens the address of a page gets the same document, which then shows that page; only files have addresses of
their own. The headers are those of OWASP's Secure Headers Project.
"""

import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from http import HTTPStatus
from pathlib import Path

from litestar import Response, route
from litestar.enums import HttpMethod

from playdock.http.pages import Link, page
from playdock.http.routing import AnyRequest
from playdock.kit.codings import Coding, choose_coding, headers_of
from playdock.kit.conditions import is_unchanged
from playdock.settings import Settings

BUILT = Path(__file__).parent / "built"
# The first names of addresses at which the application shows pages (`web/src/features/*/routes.ts`).
PLACES = frozenset({"", "account", "admin", "auth", "collections", "device", "games", "library", "store"})

_DOCUMENT = "/index.html"
_YEAR = "public, max-age=31536000, immutable"
_DAY = "public, max-age=86400"
_ASK = "no-cache"
# The sentences of a language, as the build names them (`web/src/locales`).
_SENTENCES = re.compile(r"/assets/([a-z]{2})-[\w-]{8}\.js")
_SUFFIXES = {".br": Coding.BROTLI, ".gz": Coding.GZIP}
_SAFE = {"Cross-Origin-Resource-Policy": "same-origin", "X-Content-Type-Options": "nosniff"}
# What only means something where something can run.
_SAFE_DOCUMENT = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "X-Permitted-Cross-Domain-Policies": "none",
}
_DOCUMENTS = {"text/html", "image/svg+xml"}
_SECURE = {"Strict-Transport-Security": "max-age=31536000"}


@dataclass(frozen=True, slots=True)
class Asset:
    """A built file in the forms that were prepared of it."""

    media_type: str
    cache: str
    etag: str
    forms: Mapping[Coding, bytes]

    def form_for(self, accept_encoding: str | None) -> Coding:
        offered = [coding for coding in self.forms if coding is not Coding.IDENTITY]
        return choose_coding(accept_encoding, offered=offered)


@cache
def assets_of(folder: Path) -> Mapping[str, Asset]:
    """Read what was built, by address; nothing where nothing was built."""
    plain = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in _SUFFIXES)
    return {f"/{path.relative_to(folder).as_posix()}": _asset(path, folder) for path in plain}


def _asset(path: Path, folder: Path) -> Asset:
    content = path.read_bytes()
    prepared = {coding: path.with_name(path.name + suffix) for suffix, coding in _SUFFIXES.items()}
    forms = {coding: file.read_bytes() for coding, file in prepared.items() if file.is_file()}
    return Asset(
        media_type=mimetypes.guess_type(path.name)[0] or "application/octet-stream",
        cache=_cache_of(path, folder),
        etag=blake2b(content, digest_size=12).hexdigest(),
        forms={**forms, Coding.IDENTITY: content},
    )


def _cache_of(path: Path, folder: Path) -> str:
    if path.parent == folder / "assets":
        return _YEAR  # its name changes with its content
    return _ASK if path.name == _DOCUMENT.strip("/") else _DAY


@cache
def _sentences_of(folder: Path) -> Mapping[str, str]:
    """Give where the sentences of each language are."""
    return {found[1]: address for address in assets_of(folder) if (found := _SENTENCES.fullmatch(address))}


def _named_ahead(accept_language: str | None) -> Mapping[str, str]:
    """Name the sentences that the page will want, so that the browser fetches them with the rest (RFC 8288)."""
    there = _sentences_of(BUILT)
    wanted = re.findall(r"\b[a-z]{2}\b", (accept_language or "").lower())
    address = next((there[language] for language in [*wanted, "en"] if language in there), None)
    if address is None:
        return {}
    return {"Link": f"<{address}>; rel=modulepreload", "Vary": "Accept-Encoding, Accept-Language"}


def _send(request: AnyRequest, asset: Asset, *, status: HTTPStatus = HTTPStatus.OK) -> Response[bytes]:
    settings: Settings = request.app.state.services.settings
    coding = asset.form_for(request.headers.get("accept-encoding"))
    etag = asset.etag if coding is Coding.IDENTITY else f"{asset.etag}-{coding}"
    headers = {
        **_SAFE,
        **(_SAFE_DOCUMENT if asset.media_type in _DOCUMENTS else {}),
        **(_SECURE if settings.secure else {}),
        **headers_of(coding),
        "Cache-Control": asset.cache,
        "ETag": f'"{etag}"',
    }
    if is_unchanged(request.headers.get("if-none-match"), etag):
        return Response(b"", status_code=HTTPStatus.NOT_MODIFIED, headers=headers, media_type=asset.media_type)
    return Response(asset.forms[coding], status_code=status, headers=headers, media_type=asset.media_type)


def _tell_unbuilt() -> Response[str]:
    sentences = [
        "The pages are not there: they are built by `make install` where Node.js 20.19 or newer is present.",
        "Everything else works: the interface for programs, downloads, and the client.",
    ]
    return page("Playdock runs, without its pages", sentences, [Link("/docs/api", "The interface")], status=503)


@route(["/", "/{path:path}", "/auth/{path:path}", "/device"], http_method=[HttpMethod.GET, HttpMethod.HEAD])
async def show(request: AnyRequest) -> Response[bytes] | Response[str]:
    """Send a built file, or the document in which the application shows the page at this address."""
    assets = assets_of(BUILT)
    address = request.url.path
    if asset := assets.get(address):
        return _send(request, asset)
    if _DOCUMENT not in assets:
        return _tell_unbuilt()
    place = address.split("/")[1]
    shown = _send(request, assets[_DOCUMENT], status=HTTPStatus.OK if place in PLACES else HTTPStatus.NOT_FOUND)
    shown.headers.update(_named_ahead(request.headers.get("accept-language")))
    return shown
