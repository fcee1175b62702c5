"""All tables, one file per aggregate."""

from playdock.models.accounts import Failure, Mechanism, PasswordReset, User
from playdock.models.base import Base
from playdock.models.credentials import Token, UserSession
from playdock.models.games import Game, ImportCheckpoint, Version
from playdock.models.invitations import Invitation
from playdock.models.libraries import Library
from playdock.models.objects import StoredObject
from playdock.models.tasks import Task, TaskLine

__all__ = [
    "Base",
    "Failure",
    "Game",
    "ImportCheckpoint",
    "Invitation",
    "Library",
    "Mechanism",
    "PasswordReset",
    "StoredObject",
    "Task",
    "TaskLine",
    "Token",
    "User",
    "UserSession",
    "Version",
]
