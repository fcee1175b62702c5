"""The Atom feed (RFC 4287)."""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from playdock.features.news.queries import ListedArticle
from playdock.kit.clock import timestamp

MEDIA_TYPE = "application/atom+xml"
# What a feed reader has not seen when it is opened after some months.
MAX_ENTRIES = 50
# Feed readers ask a few times an hour.
REQUESTS_PER_MINUTE = 10
_ATOM = "http://www.w3.org/2005/Atom"
# What XML 1.0 cannot contain.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def atom(articles: Sequence[ListedArticle], *, name: str, address: str) -> bytes:
    """Return the feed of the server ``name``, whose pages are at ``address``."""
    feed = Element("feed", xmlns=_ATOM)
    _add(feed, "id", f"{address}/news")
    _add(feed, "title", name)
    changed = max((each.article.changed for each in articles), default=None)
    _add(feed, "updated", timestamp(changed) if changed else "1970-01-01T00:00:00.000Z")
    SubElement(feed, "link", rel="alternate", href=f"{address}/news")
    for each in articles:
        article = each.article
        entry = SubElement(feed, "entry")
        _add(entry, "id", f"urn:uuid:{article.id}")
        _add(entry, "title", article.title)
        _add(entry, "published", timestamp(article.published))
        _add(entry, "updated", timestamp(article.changed))
        SubElement(entry, "link", rel="alternate", href=f"{address}/news/{article.id}")
        author = SubElement(entry, "author")
        _add(author, "name", each.author or name)
        if each.game:
            SubElement(entry, "category", term=_NOT_IN_XML.sub("", each.game))
        if article.description:
            _add(entry, "summary", article.description)
        # Readers show Markdown as it is; HTML from outside would need a filter in each of them.
        _add(entry, "content", article.content)
    document: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return document


def _add(parent: Element, tag: str, text: str) -> None:
    SubElement(parent, tag).text = _NOT_IN_XML.sub("", text)
