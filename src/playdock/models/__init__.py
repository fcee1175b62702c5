"""All tables, one file per aggregate."""

from playdock.models.accounts import Failure, Mechanism, PasswordReset, User
from playdock.models.base import Base
from playdock.models.catalogue import Company, GameCompany, GameTag, Picture, PictureUse, Tag
from playdock.models.collections import Collection, CollectionEntry
from playdock.models.credentials import Token, UserSession
from playdock.models.devices import Device, DeviceRequest
from playdock.models.downloads import Damage, DownloadLink, PatchSet
from playdock.models.games import Game, ImportCheckpoint, Version
from playdock.models.invitations import Invitation
from playdock.models.libraries import Library
from playdock.models.objects import StoredObject
from playdock.models.openid import OpenIdFlow, OpenIdSession, OpenIdTest
from playdock.models.plans import ImportRun, PlanRow, RunRow
from playdock.models.providers import ProviderAnswer, ProviderState
from playdock.models.search import SearchEntry
from playdock.models.statistics import TransferDay
from playdock.models.tasks import Task, TaskLine

__all__ = [
    "Base",
    "Collection",
    "CollectionEntry",
    "Company",
    "Damage",
    "Device",
    "DeviceRequest",
    "DownloadLink",
    "Failure",
    "Game",
    "GameCompany",
    "GameTag",
    "ImportCheckpoint",
    "ImportRun",
    "Invitation",
    "Library",
    "Mechanism",
    "OpenIdFlow",
    "OpenIdSession",
    "OpenIdTest",
    "PasswordReset",
    "PatchSet",
    "Picture",
    "PictureUse",
    "PlanRow",
    "ProviderAnswer",
    "ProviderState",
    "RunRow",
    "SearchEntry",
    "StoredObject",
    "Tag",
    "Task",
    "TaskLine",
    "Token",
    "TransferDay",
    "User",
    "UserSession",
    "Version",
]
