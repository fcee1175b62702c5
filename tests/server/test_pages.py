"""Small HTML pages."""

import re
from base64 import b64encode
from hashlib import sha256

from playdock.server.pages import Link, page

_MARKUP = "<script>alert(1)</script>\"'&"


def test_all_content_of_a_page_is_escaped() -> None:
    made = page(_MARKUP, [_MARKUP], [Link(f'/"{_MARKUP}', _MARKUP)])
    assert "<script" not in made.content
    assert re.findall('href="([^"]*)"', made.content) == [
        "/&quot;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;&amp;"
    ]


def test_the_style_matches_the_content_security_policy() -> None:
    made = page("Title", [], [])
    (style,) = re.findall("<style>(.*)</style>", made.content, re.DOTALL)
    allowed = b64encode(sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{allowed}';" in made.headers["Content-Security-Policy"]
