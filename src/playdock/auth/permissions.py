"""The permissions: ``user:…`` for every user's own data, ``system:…`` for administrators.

The names are those of Drop, the service whose HTTP interface Playdock is compatible with, except for
``system:user:admin:update``, because making administrators amounts to all permissions, for ``system:audit:read``, for
``user:clients:install``, ``system:library:write``, and those on play records, saved games, requests for games, news,
events and webhooks. Some are reserved: no route requires them yet. They cannot be granted to a token, because a later
release could let the token do more than its owner knew when granting them.
"""

from enum import StrEnum
from typing import Self


class Permission(StrEnum):
    """A permission; its value is its name in tokens and in the HTTP interface."""

    description: str

    def __new__(cls, value: str, description: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.description = description
        return member

    USER_READ = "user:read", "See own account."
    USER_UPDATE = "user:update", "Change own account."
    STORE_READ = "user:store:read", "Browse the store."
    OBJECT_READ = "user:object:read", "View images."
    CONTENT_READ = "user:content:read", "Download games."
    COLLECTIONS_READ = "user:collections:read", "See own collections."
    COLLECTIONS_NEW = "user:collections:new", "Create collections."
    COLLECTIONS_DELETE = "user:collections:delete", "Delete collections."
    COLLECTIONS_ADD = "user:collections:add", "Add games to own collections."
    COLLECTIONS_REMOVE = "user:collections:remove", "Remove games from own collections."
    OWN_LIBRARY_ADD = "user:library:add", "Add games to own library."
    OWN_LIBRARY_REMOVE = "user:library:remove", "Remove games from own library."
    CLIENTS_READ = "user:clients:read", "See own devices."
    CLIENTS_REVOKE = "user:clients:revoke", "Sign out own devices."
    CLIENTS_INSTALL = "user:clients:install", "Queue installations on own devices."
    SAVES_READ = "user:saves:read", "See and download own saved games."
    SAVES_UPDATE = "user:saves:update", "Upload, restore and delete own saved games."
    PLAY_READ = "user:play:read", "See own play time, statuses and notes."
    PLAY_UPDATE = "user:play:update", "Record own play time, statuses and notes, and delete them."
    NOTIFICATIONS_READ = "user:notifications:read", "See own notifications."
    NOTIFICATIONS_MARK = "user:notifications:mark", "Mark own notifications as read."
    NOTIFICATIONS_LISTEN = "user:notifications:listen", "Receive own notifications live."
    NOTIFICATIONS_DELETE = "user:notifications:delete", "Delete own notifications."
    REQUEST_READ = "user:request:read", "See which games are requested."
    REQUEST_NEW = "user:request:new", "Request games, and vote for requested ones."
    NEWS_READ = "user:news:read", "Read the news."
    SETTINGS_READ = "user:settings:read", "See public server settings."

    AUTH_READ = "system:auth:read", "See sign-in methods."
    INVITATION_READ = (
        "system:auth:simple:invitation:read",
        "See invitations; their ids and links only with the permission to create them.",
    )
    INVITATION_NEW = "system:auth:simple:invitation:new", "Create invitations for players."
    INVITATION_DELETE = "system:auth:simple:invitation:delete", "Revoke invitations."
    ADMIN_USER_READ = "system:user:read", "See all accounts."
    ADMIN_USER_UPDATE = (
        "system:user:update",
        "Change accounts of players, create password reset links for them, and revoke anyone's credentials.",
    )
    ADMINS_UPDATE = (
        "system:user:admin:update",
        "Grant and remove the administrator role, change administrators, reset their passwords, and invite new ones.",
    )
    ADMIN_USER_DELETE = "system:user:delete", "Delete accounts."
    LIBRARY_READ = "system:library:read", "See game folders and their games."
    LIBRARY_WRITE = (
        "system:library:write",
        "Upload games to game folders that Playdock manages, and rename, move, delete and restore files there.",
    )
    SOURCES_READ = "system:library:sources:read", "See game folder locations."
    SOURCES_NEW = "system:library:sources:new", "Add game folders."
    SOURCES_UPDATE = "system:library:sources:update", "Change game folders."
    SOURCES_DELETE = "system:library:sources:delete", "Remove game folders."
    IMPORT_GAME = "system:import:game:read", "See folders to import, search for metadata, and import games."
    IMPORT_VERSION = "system:import:version:read", "See and import versions."
    GAME_READ = "system:game:read", "See games with admin details."
    GAME_UPDATE = "system:game:update", "Change games."
    GAME_DELETE = "system:game:delete", "Delete games."
    VERSION_UPDATE = "system:game:version:update", "Change versions and their order."
    VERSION_DELETE = "system:game:version:delete", "Delete versions."
    IMAGE_NEW = "system:game:image:new", "Add images to games."
    IMAGE_DELETE = "system:game:image:delete", "Delete images of games."
    NEWS_CREATE = "system:news:create", "Write and change news and release notes."
    NEWS_DELETE = "system:news:delete", "Delete news and release notes."
    EVENTS_READ = "system:events:read", "Receive what happens on the server, as webhooks do."
    WEBHOOK_READ = "system:webhook:read", "See webhooks and what was delivered to them."
    WEBHOOK_UPDATE = "system:webhook:update", "Create, change and delete webhooks, and deliver again."
    REQUEST_UPDATE = "system:request:update", "Answer and delete requests for games."
    COMPANY_READ = "system:company:read", "See companies."
    COMPANY_NEW = "system:company:new", "Add companies."
    COMPANY_UPDATE = "system:company:update", "Change companies."
    COMPANY_DELETE = "system:company:delete", "Delete companies."
    TAGS_READ = "system:tags:read", "See tags."
    TAGS_NEW = "system:tags:new", "Add tags."
    TAGS_UPDATE = "system:tags:update", "Change tags."
    TAGS_DELETE = "system:tags:delete", "Delete tags."
    TASK_READ = "system:task:read", "See background tasks."
    TASK_START = "system:task:start", "Start maintenance tasks."
    TASK_CANCEL = "system:task:cancel", "Cancel background tasks."
    MAINTENANCE_READ = "system:maintenance:read", "See maintenance status."
    AUDIT_READ = "system:audit:read", "Read the audit log."
    SETTINGS_UPDATE = "system:settings:update", "Change public server settings."

    @property
    def is_system(self) -> bool:
        return self.startswith("system:")


USER_PERMISSIONS = frozenset(permission for permission in Permission if not permission.is_system)
SYSTEM_PERMISSIONS = frozenset(permission for permission in Permission if permission.is_system)
# Names that programs know but no route requires. A new route removes its permission from this set.
RESERVED_PERMISSIONS = frozenset(
    {
        Permission.SETTINGS_READ,
    }
)


def grantable_to(*, admin: bool) -> frozenset[Permission]:
    """Return the permissions that a user can grant to a token."""
    return permissions_of(admin=admin) - RESERVED_PERMISSIONS


def permissions_of(*, admin: bool) -> frozenset[Permission]:
    """Return the permissions of a user, regardless of the credential."""
    return USER_PERMISSIONS | SYSTEM_PERMISSIONS if admin else USER_PERMISSIONS


def token_permissions(granted: list[str], *, admin: bool) -> frozenset[Permission]:
    """Return the granted permissions of a token that its owner still has."""
    return frozenset(permission for permission in permissions_of(admin=admin) if permission in granted)
