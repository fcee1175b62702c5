"""The vocabulary of rights (decisions 3): ``user:…`` for everybody's own things, ``system:…`` for administrators.

It is Drop's whole vocabulary, so that programs may ask for what they will need; some rights have no call yet.
"""

from enum import StrEnum
from typing import Self


class Acl(StrEnum):
    """One right, written as tokens carry it."""

    description: str

    def __new__(cls, value: str, description: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.description = description
        return member

    USER_READ = "user:read", "Read your own account."
    USER_UPDATE = "user:update", "Change your own account."
    STORE_READ = "user:store:read", "See the games of the store."
    OBJECT_READ = "user:object:read", "Fetch pictures."
    CONTENT_READ = "user:content:read", "Fetch manifests and the files of games."
    COLLECTIONS_READ = "user:collections:read", "See your collections."
    COLLECTIONS_NEW = "user:collections:new", "Create collections."
    COLLECTIONS_DELETE = "user:collections:delete", "Delete collections."
    COLLECTIONS_ADD = "user:collections:add", "Add games to your collections."
    COLLECTIONS_REMOVE = "user:collections:remove", "Remove games from your collections."
    OWN_LIBRARY_ADD = "user:library:add", "Add games to your own library."
    OWN_LIBRARY_REMOVE = "user:library:remove", "Remove games from your own library."
    CLIENTS_READ = "user:clients:read", "See the devices with your client."
    CLIENTS_REVOKE = "user:clients:revoke", "Sign devices with your client out."
    NOTIFICATIONS_READ = "user:notifications:read", "See your notifications."
    NOTIFICATIONS_MARK = "user:notifications:mark", "Mark your notifications as read."
    NOTIFICATIONS_LISTEN = "user:notifications:listen", "Be told of your notifications as they come."
    NOTIFICATIONS_DELETE = "user:notifications:delete", "Delete your notifications."
    NEWS_READ = "user:news:read", "Read the news."
    SETTINGS_READ = "user:settings:read", "See the settings that matter to everybody."

    AUTH_READ = "system:auth:read", "See how people can sign in."
    INVITATION_READ = "system:auth:simple:invitation:read", "See invitations and their links."
    INVITATION_NEW = "system:auth:simple:invitation:new", "Create invitations."
    INVITATION_DELETE = "system:auth:simple:invitation:delete", "Withdraw invitations."
    ADMIN_USER_READ = "system:user:read", "See all accounts."
    ADMIN_USER_UPDATE = "system:user:update", "Change accounts, and issue links to reset passwords."
    ADMIN_USER_DELETE = "system:user:delete", "Delete accounts."
    LIBRARY_READ = "system:library:read", "See libraries with their games."
    SOURCES_READ = "system:library:sources:read", "See where libraries lie."
    SOURCES_NEW = "system:library:sources:new", "Add libraries."
    SOURCES_UPDATE = "system:library:sources:update", "Change libraries."
    SOURCES_DELETE = "system:library:sources:delete", "Remove libraries."
    IMPORT_GAME = "system:import:game:read", "See unimported games, look for their metadata, and import them."
    IMPORT_VERSION = "system:import:version:read", "See unimported versions and import them."
    GAME_READ = "system:game:read", "See games as administrators see them."
    GAME_UPDATE = "system:game:update", "Change games."
    GAME_DELETE = "system:game:delete", "Delete games."
    VERSION_UPDATE = "system:game:version:update", "Change versions and their order."
    VERSION_DELETE = "system:game:version:delete", "Delete versions."
    IMAGE_NEW = "system:game:image:new", "Add pictures to games."
    IMAGE_DELETE = "system:game:image:delete", "Delete pictures of games."
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
    MAINTENANCE_READ = "system:maintenance:read", "See what maintenance there is to do."
    SETTINGS_UPDATE = "system:settings:update", "Change the settings that matter to everybody."

    @property
    def is_system(self) -> bool:
        return self.startswith("system:")


USER_ACLS = frozenset(acl for acl in Acl if not acl.is_system)
SYSTEM_ACLS = frozenset(acl for acl in Acl if acl.is_system)


def rights_of(*, admin: bool) -> frozenset[Acl]:
    """Give what a person may, by whatever credential."""
    return USER_ACLS | SYSTEM_ACLS if admin else USER_ACLS


def rights_of_token(granted: list[str], *, admin: bool) -> frozenset[Acl]:
    """Give what is left of a token's rights at this moment: never more than its owner has."""
    return frozenset(acl for acl in rights_of(admin=admin) if acl in granted)
