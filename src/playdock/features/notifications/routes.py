"""``/api/v1/notifications``: Drop's calls, and what one is notified of."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.programs import Platform
from playdock.domain.events.rules import EventType
from playdock.domain.game_metadata.schemas import TagName
from playdock.features.notifications import rules
from playdock.features.notifications.errors import NotificationUnknown
from playdock.features.notifications.schemas import (
    NotificationPreferencesResponse,
    NotificationPreferencesUpdate,
    NotificationResponse,
)
from playdock.features.notifications.service import UserNotifications
from playdock.server.routing import delete, get, post, put

_ALL = "/api/v1/notifications"
_ONE = f"{_ALL}/{{notification_id:str}}"
_PREFERENCES = f"{_ALL}/preferences"


@get(_ALL, requires=Permission.NOTIFICATIONS_READ)
def list_notifications(actor: Actor, notifications: UserNotifications) -> list[NotificationResponse]:
    """List your newest notifications, at most 100, newest first. They are kept for 90 days."""
    return [NotificationResponse.of(each) for each in notifications.list_own(actor)]


@get(_ONE, requires=Permission.NOTIFICATIONS_READ, raises=[NotificationUnknown])
def show_notification(notification_id: str, actor: Actor, notifications: UserNotifications) -> NotificationResponse:
    """Show one of your notifications."""
    return NotificationResponse.of(notifications.show(actor, notification_id))


@delete(_ONE, requires=Permission.NOTIFICATIONS_DELETE, raises=[NotificationUnknown])
def delete_notification(notification_id: str, actor: Actor, notifications: UserNotifications) -> None:
    """Delete one of your notifications."""
    notifications.delete(actor, notification_id)


@post(f"{_ONE}/read", requires=Permission.NOTIFICATIONS_MARK, raises=[NotificationUnknown])
def mark_notification_read(
    notification_id: str, actor: Actor, notifications: UserNotifications
) -> NotificationResponse:
    """Mark one of your notifications as read."""
    return NotificationResponse.of(notifications.mark_read(actor, notification_id))


@post(f"{_ALL}/readall", requires=Permission.NOTIFICATIONS_MARK, status=204)
def mark_all_notifications_read(actor: Actor, notifications: UserNotifications) -> None:
    """Mark all your notifications as read."""
    notifications.mark_all_read(actor)


@get(_PREFERENCES, requires=Permission.NOTIFICATIONS_READ)
def show_notification_preferences(actor: Actor, notifications: UserNotifications) -> NotificationPreferencesResponse:
    """Show what you are notified of."""
    found, tags = notifications.preferences(actor)
    return NotificationPreferencesResponse(
        platforms=[each for each in Platform if each.value in found.platforms],
        tags=[TagName.of(each) for each in tags],
        kinds=list(rules.types_for(admin=actor.user.admin)),
        # A newer release that runs beside this one may have stored others.
        muted=[each for each in EventType if each.value in found.muted],
    )


@put(_PREFERENCES, requires=Permission.USER_UPDATE, status=204)
def change_notification_preferences(
    data: NotificationPreferencesUpdate, actor: Actor, notifications: UserNotifications
) -> None:
    """Change what you are notified of."""
    notifications.change_preferences(actor, data.stored())


ROUTES = (
    list_notifications,
    show_notification_preferences,
    change_notification_preferences,
    mark_all_notifications_read,
    show_notification,
    delete_notification,
    mark_notification_read,
)
