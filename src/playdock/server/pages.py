"""Small HTML pages with a few sentences, for browsers that follow a link or a redirect to the service.

A page is self-contained: it loads no resources and runs no scripts, and all its text is escaped.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape

from litestar import MediaType, Response
from msgspec import Struct

_STYLE = """
:root { color-scheme: light dark; --ground: #f6f6f7; --text: #1b1b1f; --quiet: #5b5b66; --accent: #3b5bdb; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #131316; --text: #ececf1; --quiet: #a3a3ae; --accent: #91a7ff; }
}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--text);
  font: 1rem/1.6 system-ui, sans-serif; }
main { box-sizing: border-box; width: 100%; max-width: 34rem; padding: 2rem 1.25rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.3; }
p { margin: 0 0 0.75rem; color: var(--quiet); overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin-top: 1rem; }
a { display: inline-flex; align-items: center; min-height: 44px; color: var(--accent); }
a:focus-visible { outline: 2px solid; outline-offset: 2px; border-radius: 8px; }
"""
_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_HASH}'; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
}


class Link(Struct, frozen=True):
    """A link on a page."""

    address: str
    text: str


def page(
    title: str,
    sentences: Sequence[str],
    links: Sequence[Link],
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response[str]:
    """Return a page. The title, sentences and link texts are plain text."""
    paragraphs = "".join(f"<p>{escape(sentence)}</p>\n" for sentence in sentences)
    anchors = "".join(f'<a href="{escape(link.address)}">{escape(link.text)}</a>\n' for link in links)
    content = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)} · Playdock</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{escape(title)}</h1>\n{paragraphs}<nav>\n{anchors}</nav>\n</main>\n</body>\n</html>\n"
    )
    return Response(content, status_code=status, media_type=MediaType.HTML, headers={**(headers or {}), **_HEADERS})
