"""All tables, one file per aggregate."""

from playdock.models.accounts import FailedAttempt, PasswordReset, SignInMethod, User
from playdock.models.audit import AuditEntry
from playdock.models.base import Base
from playdock.models.credentials import Token, UserSession
from playdock.models.deliveries import Delivery, DeliveryPreferences, PushSubscription
from playdock.models.devices import Device, DeviceInstallation, DeviceRequest, DropContext, QueuedInstallation
from playdock.models.disks import DiskDay
from playdock.models.downloads import Damage, DownloadLink, PatchSet
from playdock.models.game_collections import Collection, CollectionEntry
from playdock.models.game_metadata import Company, GameCompany, GameTag, Picture, PictureUse, Tag
from playdock.models.game_requests import GameRequest, GameRequestVote
from playdock.models.games import Game, Version
from playdock.models.imports import ImportCheckpoint, ImportPart
from playdock.models.invitations import Invitation
from playdock.models.libraries import FoundVersion, Library
from playdock.models.library_files import FileChange, TrashItem
from playdock.models.moving_in import MovedRow
from playdock.models.news import NewsArticle, NewsFeed
from playdock.models.nodes import Node
from playdock.models.notifications import Event, Notification, NotificationPreferences
from playdock.models.objects import StoredObject
from playdock.models.openid import OpenIdFlow, OpenIdSession, OpenIdTest
from playdock.models.plans import ImportRun, PlanRow, RunRow
from playdock.models.play_records import PlayRecord, PlaySession
from playdock.models.providers import ProviderResponse, ProviderState
from playdock.models.revisions import CacheRevision
from playdock.models.saved_games import SavedGame, SaveSlot
from playdock.models.search import SearchEntry
from playdock.models.server_profile import ServerProfile
from playdock.models.server_settings import StoredSetting
from playdock.models.tasks import Task, TaskLogEntry
from playdock.models.transfers import TransferDay
from playdock.models.upgrades import SchemaUpgrade
from playdock.models.uploads import Upload
from playdock.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "AuditEntry",
    "Base",
    "CacheRevision",
    "Collection",
    "CollectionEntry",
    "Company",
    "Damage",
    "Delivery",
    "DeliveryPreferences",
    "Device",
    "DeviceInstallation",
    "DeviceRequest",
    "DiskDay",
    "DownloadLink",
    "DropContext",
    "Event",
    "FailedAttempt",
    "FileChange",
    "FoundVersion",
    "Game",
    "GameCompany",
    "GameRequest",
    "GameRequestVote",
    "GameTag",
    "ImportCheckpoint",
    "ImportPart",
    "ImportRun",
    "Invitation",
    "Library",
    "MovedRow",
    "NewsArticle",
    "NewsFeed",
    "Node",
    "Notification",
    "NotificationPreferences",
    "OpenIdFlow",
    "OpenIdSession",
    "OpenIdTest",
    "PasswordReset",
    "PatchSet",
    "Picture",
    "PictureUse",
    "PlanRow",
    "PlayRecord",
    "PlaySession",
    "ProviderResponse",
    "ProviderState",
    "PushSubscription",
    "QueuedInstallation",
    "RunRow",
    "SaveSlot",
    "SavedGame",
    "SchemaUpgrade",
    "SearchEntry",
    "ServerProfile",
    "SignInMethod",
    "StoredObject",
    "StoredSetting",
    "Tag",
    "Task",
    "TaskLogEntry",
    "Token",
    "TransferDay",
    "TrashItem",
    "Upload",
    "User",
    "UserSession",
    "Version",
    "Webhook",
    "WebhookDelivery",
]
