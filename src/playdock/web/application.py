"""The web application: the files built from `web/`, sent in precompressed forms and with security headers.

All pages have the same HTML document, which shows the page of its URL. Only files have their own content. The headers
follow OWASP's Secure Headers Project.
"""

import gzip
import mimetypes
import re
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from http import HTTPStatus
from pathlib import Path

from litestar import Response, route
from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler
from msgspec import Struct

from playdock.kit.content_encoding import ContentEncoding, choose_encoding, headers_of
from playdock.server.conditional import unless_unchanged
from playdock.server.pages import Link, page
from playdock.server.routing import AnyRequest

BUILT = Path(__file__).parent / "built"
# The first path segments of pages (`web/src/router.ts` and `web/src/features/*/routes.ts`).
PAGE_PREFIXES = frozenset(
    {
        "",
        "account",
        "admin",
        "auth",
        "client",
        "collections",
        "device",
        "docs",
        "games",
        "library",
        "news",
        "requests",
        "store",
    }
)

_DOCUMENT = "/index.html"
# The web view of Drop's client loads files only below this path; pages that it shows have this parameter or agent.
_WEB_VIEW_FILES = "/_"
_WEB_VIEW_PARAMETER = "noWrapper"
_WEB_VIEW_AGENT = "Drop Desktop Client"
_YEAR = "public, max-age=31536000, immutable"
_DAY = "public, max-age=86400"
_REVALIDATE = "no-cache"
# The names that the build gives to the texts of each language (`web/src/locales`).
_LOCALE = re.compile(r"/assets/([a-z]{2})-[\w-]{8}\.js")
_SUFFIXES = {".br": ContentEncoding.BROTLI, ".gz": ContentEncoding.GZIP}
_SAFE = {"Cross-Origin-Resource-Policy": "same-origin"}
# Headers for documents in which scripts could run.
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


class Asset(Struct, frozen=True):
    """A built file in all content encodings that the build has produced."""

    media_type: str
    cache: str
    etag: str
    encodings: Mapping[ContentEncoding, bytes]

    def choose(self, accept_encoding: str | None) -> ContentEncoding:
        """Return the best available encoding for an ``Accept-Encoding`` header."""
        offered = [encoding for encoding in self.encodings if encoding is not ContentEncoding.IDENTITY]
        return choose_encoding(accept_encoding, offered=offered)


@cache
def assets_of(folder: Path) -> Mapping[str, Asset]:
    """Return the built files by URL path, empty if the web application was not built."""
    plain = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in _SUFFIXES)
    return {f"/{path.relative_to(folder).as_posix()}": _asset(path, folder) for path in plain}


def _asset(path: Path, folder: Path) -> Asset:
    content = path.read_bytes()
    compressed = {encoding: path.with_name(path.name + suffix) for suffix, encoding in _SUFFIXES.items()}
    encodings = {encoding: file.read_bytes() for encoding, file in compressed.items() if file.is_file()}
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    # Litestar adds it to texts only.
    charset = "; charset=utf-8" if media_type.endswith("+xml") else ""
    return Asset(
        media_type=f"{media_type}{charset}",
        cache=_cache_of(path, folder),
        etag=blake2b(content, digest_size=12).hexdigest(),
        encodings={**encodings, ContentEncoding.IDENTITY: content},
    )


def _cache_of(path: Path, folder: Path) -> str:
    if path.parent == folder / "assets":
        return _YEAR  # the name changes with the content
    return _REVALIDATE if path.name == _DOCUMENT.strip("/") else _DAY


@cache
def _document_of(folder: Path, url_path: str) -> Asset:
    """Return the document of all pages for a service below a path; the build leaves the place for it."""
    built = assets_of(folder)[_DOCUMENT]
    content = built.encodings[ContentEncoding.IDENTITY].replace(b'="./', f'="{url_path}/'.encode())
    # A page's document is small, so that brotli would save little.
    encodings = {ContentEncoding.GZIP: gzip.compress(content), ContentEncoding.IDENTITY: content}
    return Asset(built.media_type, built.cache, blake2b(content, digest_size=12).hexdigest(), encodings)


@cache
def _locales_of(folder: Path) -> Mapping[str, str]:
    """Return the URL paths of the texts by language."""
    return {match[1]: path for path in assets_of(folder) if (match := _LOCALE.fullmatch(path))}


def _preload_headers(accept_language: str | None, url_path: str) -> Mapping[str, str]:
    """Return headers that make the browser preload the texts of its language (RFC 8288)."""
    locales = _locales_of(BUILT)
    languages = re.findall(r"\b[a-z]{2}\b", (accept_language or "").lower())
    path = next((locales[language] for language in [*languages, "en"] if language in locales), None)
    if path is None:
        return {}
    return {"Link": f"<{url_path}{path}>; rel=modulepreload", "Vary": "Accept-Encoding, Accept-Language"}


def _send(request: AnyRequest, asset: Asset, *, status: HTTPStatus = HTTPStatus.OK) -> Response[bytes]:
    encoding = asset.choose(request.headers.get("accept-encoding"))
    etag = asset.etag if encoding is ContentEncoding.IDENTITY else f"{asset.etag}-{encoding}"
    headers = {
        **_SAFE,
        **(_SAFE_DOCUMENT if asset.media_type.partition(";")[0] in _DOCUMENTS else {}),
        **headers_of(encoding),
        "Cache-Control": asset.cache,
    }
    return unless_unchanged(
        request,
        etag,
        headers=headers,
        respond=lambda headers: Response(
            asset.encodings[encoding], status_code=status, headers=headers, media_type=asset.media_type
        ),
    )


def _not_built(url_path: str) -> Response[str]:
    sentences = [
        "The web pages are missing. `make install` builds them if Node.js 20.19 or newer is installed.",
        "Everything else works: the API, downloads, and the client.",
    ]
    return page(
        "Playdock is running without its web pages",
        sentences,
        [Link(f"{url_path}/api/openapi.json", "The API")],
        status=503,
    )


def page_route(url_path: str) -> HTTPRouteHandler:
    """Return the route of the pages, whose links begin with ``url_path``."""

    @route(
        ["/", "/{path:path}", "/auth/{path:path}", "/device", "/docs/api"],
        http_method=[HttpMethod.GET, HttpMethod.HEAD],
    )
    async def show_page(request: AnyRequest) -> Response[bytes] | Response[str]:
        return _show(request, url_path)

    return show_page


def _show(request: AnyRequest, url_path: str) -> Response[bytes] | Response[str]:
    """Return the built file at the requested path, or the document of all pages."""
    assets = assets_of(BUILT)
    path = request.url.path.removeprefix(_WEB_VIEW_FILES)
    if _DOCUMENT not in assets:
        return _not_built(url_path)
    if path != _DOCUMENT and (asset := assets.get(path)):
        return _send(request, asset)
    is_page = path == _DOCUMENT or path.split("/")[1] in PAGE_PREFIXES
    status = HTTPStatus.OK if is_page else HTTPStatus.NOT_FOUND
    url_path += _WEB_VIEW_FILES if _is_web_view(request) else ""
    response = _send(request, _document_of(BUILT, url_path), status=status)
    response.headers.update(_preload_headers(request.headers.get("accept-language"), url_path))
    return response


def _is_web_view(request: AnyRequest) -> bool:
    """Return whether the web view of Drop's client shows the page."""
    is_agent = request.headers.get("user-agent", "").startswith(_WEB_VIEW_AGENT)
    return is_agent or request.query_params.get(_WEB_VIEW_PARAMETER) == "true"
