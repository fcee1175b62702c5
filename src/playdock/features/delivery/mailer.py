"""The content of email: plain text and HTML, with the headers of messages that programs send.

This module is loaded when something is sent, because the library of messages is large.
"""

from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from html import escape
from typing import Self
from urllib.parse import urlsplit

from msgspec import Struct

from playdock.features.delivery.rules import VERIFICATION_LIFETIME, Item, Letter
from playdock.fetching.errors import MessageRefused
from playdock.fetching.smtp import PATIENT, MailConnection, MailServer, Patience
from playdock.kit.clock import Clock
from playdock.kit.messages import Message, parameters_of
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.kit.translations import translated
from playdock.settings import Settings

# Lines as long as allowed (RFC 5322, section 2.1.1): a link in a header that is longer than a line would be encoded,
# and programs would not recognize it.
_POLICY = SMTP.clone(max_line_length=998)
# Colors that are readable on white and on black, since mail programs decide about the background.
_LINK = "color:#5b7cfa"


class MailContent(Struct, frozen=True):
    """What a message says, as text and as the body of an HTML document."""

    subject: str
    text: str
    html: str
    language: str


class Mailer:
    """Sends the messages of one server, whose name is ``name``, through one connection."""

    def __init__(
        self, settings: Settings, name: str, secret_key: SecretKey, clock: Clock, *, patience: Patience = PATIENT
    ) -> None:
        self._settings = settings
        self._name = name
        self._secret_key = secret_key
        self._clock = clock
        server = MailServer(
            settings.smtp_server, settings.smtp_port, settings.smtp_tls, settings.smtp_user, settings.smtp_password
        )
        self._connection = MailConnection(server, patience=patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def send(self, letter: Letter) -> None:
        """Send a message about notifications. Raises as `MailConnection.send`."""
        addressee, settings = letter.addressee, self._settings
        token = self._secret_key.encrypt(addressee.id, Purpose.UNSUBSCRIBE)
        content = _content(letter, self._name, settings, stop=settings.page(f"/auth/unsubscribe?token={token}"))
        message = self._message(content, to=addressee.email)
        # The same for each attempt, so that servers and mail programs can recognize one that is repeated.
        message["Message-ID"] = f"<{letter.message}@{urlsplit(settings.address).hostname}>"
        # Mail programs show a button that sends a POST request to it (RFC 8058).
        one_click = settings.page(f"/api/v1/notifications/unsubscribe?token={token}")
        message["List-Unsubscribe"] = f"<{one_click}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        self._connection.send(message, to=addressee.email)

    def send_verification(self, email: str, link: str, language: str) -> None:
        """Send a link that confirms an address. Raises as `MailConnection.send`."""
        days = VERIFICATION_LIFETIME.days
        why = _in(language, Message("mail-verify", server=self._name, count=days))
        label, ignore = _in(language, Message("mail-verify-label")), _in(language, Message("mail-verify-ignore"))
        subject = _in(language, Message("mail-verify-subject", server=self._name))
        html = f"{_paragraph(why)}<p>{_anchor(label, link)}</p>{_paragraph(ignore)}"
        content = MailContent(subject, f"{why}\n\n{link}\n\n{ignore}\n", html, language)
        self._connection.send(self._message(content, to=email), to=email)

    def send_test(self, email: str, language: str) -> None:
        """Send a message that shows that email works. Raises as `MailConnection.send`."""
        subject = _in(language, Message("mail-test-subject", server=self._name))
        text = _in(language, Message("mail-test", server=self._name))
        content = MailContent(subject, f"{text}\n", _paragraph(text), language)
        self._connection.send(self._message(content, to=email), to=email)

    def _message(self, content: MailContent, *, to: str) -> EmailMessage:
        name, address = parseaddr(self._settings.smtp_from)
        made = EmailMessage(policy=_POLICY)
        made["Subject"] = " ".join(content.subject.split())
        made["From"] = Address(name or self._name, addr_spec=address)
        made["To"] = _recipient(to)
        made["Date"] = format_datetime(self._clock())
        # No program is to reply (RFC 3834).
        made["Auto-Submitted"] = "auto-generated"
        made.set_content(content.text)
        made.add_alternative(_document(content), subtype="html")
        return made


def _content(letter: Letter, server: str, settings: Settings, *, stop: str) -> MailContent:
    """Return what a message about notifications says; ``stop`` is the link with which one unsubscribes."""
    language = letter.addressee.preferences.language
    several = _in(language, Message("mail-several", count=letter.total, server=server))
    more = letter.total - len(letter.items)
    why = _in(language, Message("mail-why", server=server))
    links = [
        (_in(language, Message("mail-change")), settings.page("/account/notifications")),
        (_in(language, Message("mail-unsubscribe")), stop),
    ]
    urls = [settings.page(each.link) for each in letter.items]
    text = [
        "\n".join(filter(None, (each.title, each.description, url)))
        for each, url in zip(letter.items, urls, strict=True)
    ]
    html = [_item(each, url) for each, url in zip(letter.items, urls, strict=True)]
    if more:
        rest = _in(language, Message("mail-more", count=more))
        text.append(rest)
        html.append(_paragraph(rest))
    text.append("\n".join(["-- ", why, *(f"{label}: {url}" for label, url in links)]))
    footer = " · ".join(_anchor(label, url) for label, url in links)
    html.append(f'<p style="font-size:small;opacity:.7">{escape(why)}<br>{footer}</p>')
    subject = letter.items[0].title if letter.total == 1 else several
    return MailContent(subject, "\n\n".join(text) + "\n", "".join(html), language)


def _recipient(email: str) -> Address:
    try:
        return Address(addr_spec=email)
    except Exception:  # noqa: BLE001 - for what is no address, the parser raises anything, also AttributeError
        raise MessageRefused(Message("mail-address-invalid"), temporary=False) from None


def _in(language: str, message: Message) -> str:
    return translated(language, text=message, code=message.code, parameters=parameters_of(message))


def _document(content: MailContent) -> str:
    style = "font-family:system-ui,sans-serif;line-height:1.5;max-width:36rem"
    head = f'<!doctype html><html lang="{content.language}"><head><meta charset="utf-8"></head>'
    return f'{head}<body style="{style}">{content.html}</body></html>\n'


def _item(item: Item, url: str) -> str:
    described = f"<br>{escape(item.description)}" if item.description else ""
    return f"<p><strong>{_anchor(item.title, url)}</strong>{described}</p>"


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _anchor(label: str, url: str) -> str:
    return f'<a href="{escape(url)}" style="{_LINK}">{escape(label)}</a>'
