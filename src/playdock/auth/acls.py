"""The vocabulary of rights (decisions 3): ``user:…`` for everybody's own things, ``system:…`` for administrators."""

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
    IMPORT_GAME = "system:import:game:read", "See unimported games and import them."
    IMPORT_VERSION = "system:import:version:read", "See unimported versions and import them."
    TASK_READ = "system:task:read", "See background tasks."
    TASK_START = "system:task:start", "Start maintenance tasks."
    TASK_CANCEL = "system:task:cancel", "Cancel background tasks."

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
