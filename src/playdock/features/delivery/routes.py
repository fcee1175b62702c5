"""``/api/v1/notifications/delivery``: how one gets notifications outside of the app, and the links in messages."""

from urllib.parse import urlencode

from litestar import MediaType, Response

from playdock.auth.actor import Actor
from playdock.auth.errors import RecentSignInRequired
from playdock.auth.permissions import Permission
from playdock.features.delivery.errors import ChatUnavailable, EmailUnavailable, MailLinkInvalid, VerificationSent
from playdock.features.delivery.schemas import (
    BrowserPut,
    ChatTest,
    DeliveryPreferencesResponse,
    DeliveryPreferencesUpdate,
    EmailTest,
    MailToken,
    MailTokenQuery,
    VerificationRequest,
)
from playdock.features.delivery.service import Deliveries
from playdock.features.server_settings.service import SettingsPage
from playdock.server.link_address import link_address
from playdock.server.routing import AnyRequest, Caller, delete, get, post, put
from playdock.settings import Settings

_ALL = "/api/v1/notifications"
_PREFERENCES = f"{_ALL}/delivery"
_UNSUBSCRIBE = f"{_ALL}/unsubscribe"


@get(_PREFERENCES, requires=Permission.NOTIFICATIONS_READ)
def show_delivery_preferences(actor: Actor, deliveries: Deliveries) -> DeliveryPreferencesResponse:
    """Show how you get notifications outside of the app."""
    return DeliveryPreferencesResponse.of(*deliveries.preferences(actor))


@put(_PREFERENCES, requires=Permission.USER_UPDATE, status=204)
def change_delivery_preferences(data: DeliveryPreferencesUpdate, actor: Actor, deliveries: Deliveries) -> None:
    """Change how you get notifications outside of the app. Email is sent only to an address that you have confirmed."""
    deliveries.change_preferences(actor, data.stored(), chat_url=data.chat_url)


@post(
    f"{_PREFERENCES}/verification",
    requires=Permission.USER_UPDATE,
    status=204,
    raises=[EmailUnavailable, VerificationSent],
)
def send_email_verification(
    request: AnyRequest, data: VerificationRequest, actor: Actor, deliveries: Deliveries, settings: Settings
) -> None:
    """Send a message to your email address, with a link that confirms the address within seven days."""
    deliveries.send_verification(actor, address=link_address(request, settings), language=data.language)


@post(f"{_PREFERENCES}/chat/test", requires=Permission.USER_UPDATE, status=204, raises=[ChatUnavailable])
def send_test_chat_message(data: ChatTest, actor: Actor, deliveries: Deliveries) -> None:
    """Send a message to a chat service, to test its URL."""
    deliveries.send_chat_test(actor, data.chat_url)


@put(f"{_PREFERENCES}/browser", requires=Caller.SESSION, status=204)
def put_browser(data: BrowserPut, actor: Actor, deliveries: Deliveries) -> None:
    """Receive messages in the browser that you are signed in with, until it is signed out."""
    deliveries.add_browser(actor, endpoint=data.endpoint, public_key=data.public_key, auth_secret=data.auth_secret)


@delete(f"{_PREFERENCES}/browser", requires=Caller.SESSION)
def delete_browser(actor: Actor, deliveries: Deliveries) -> None:
    """Receive no more messages in the browser that you are signed in with."""
    deliveries.remove_browser(actor)


@post(f"{_ALL}/verify", requires=Caller.ANYBODY, status=204, raises=[MailLinkInvalid])
def verify_email(data: MailToken, deliveries: Deliveries) -> None:
    """Confirm an email address with the token of the link that was sent there."""
    deliveries.verify(data.token)


@get(_UNSUBSCRIBE, requires=Caller.ANYBODY, response_type=bytes, media_type=MediaType.TEXT)
def open_unsubscribe_page(query: MailTokenQuery, settings: Settings) -> Response[bytes]:
    """Redirect to the page with which one stops all email: a GET request changes nothing."""
    page = f"{settings.url_path}/auth/unsubscribe?{urlencode({'token': query.token})}"
    headers = {"Location": page, "Cache-Control": "no-store"}
    return Response(b"", status_code=303, media_type=MediaType.TEXT, headers=headers)


@post(_UNSUBSCRIBE, requires=Caller.ANYBODY, status=204, raises=[MailLinkInvalid])
def unsubscribe_from_email(query: MailTokenQuery, deliveries: Deliveries) -> None:
    """Stop all email to the user of a link, as mail programs do with one click (RFC 8058)."""
    deliveries.unsubscribe(query.token)


@post(
    "/api/v1/admin/settings/email/test",
    requires=(Permission.SETTINGS_UPDATE, Permission.ADMINS_UPDATE),
    status=204,
    raises=[RecentSignInRequired, EmailUnavailable],
)
def send_test_email(data: EmailTest, actor: Actor, deliveries: Deliveries, settings_page: SettingsPage) -> None:
    """Send a message to your own address, with settings that need not be saved."""
    deliveries.send_test(actor, settings_page.tried(actor, data.values), language=data.language)


ROUTES = (
    show_delivery_preferences,
    change_delivery_preferences,
    send_email_verification,
    send_test_chat_message,
    put_browser,
    delete_browser,
    verify_email,
    open_unsubscribe_page,
    unsubscribe_from_email,
    send_test_email,
)
