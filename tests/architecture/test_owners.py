"""Each table has one owner: the package whose `queries.py` changes its rows. Other packages call the owner."""

import ast
from collections.abc import Iterator

from playdock import models
from playdock.models.base import Base

from .source import AnyFunction, Module, calls, functions, is_queries, modules

_TABLES = {name for name, each in vars(models).items() if isinstance(each, type) and issubclass(each, Base)} - {"Base"}
# Triggers change the revisions, and the upgrade of the schema records itself.
_WRITTEN_ELSEWHERE = {"CacheRevision", "SchemaUpgrade"}
_WRITES = ("insert", "update", "delete")
_OWNERS = {
    "AuditEntry": "audit",
    "Collection": "features/game_collections",
    "CollectionEntry": "features/game_collections",
    "Company": "domain/companies",
    "SavedGame": "features/saved_games",
    "SaveSlot": "features/saved_games",
    "Damage": "features/damage",
    "Delivery": "features/delivery",
    "PushSubscription": "features/delivery",
    "DeliveryPreferences": "features/delivery",
    "Device": "features/devices",
    "DeviceInstallation": "features/device_installations",
    "DeviceRequest": "features/devices",
    "DiskDay": "features/reports",
    "DownloadLink": "features/links",
    "DropContext": "features/drop_bridge",
    "Event": "domain/events",
    "FailedAttempt": "throttle",
    "FoundVersion": "domain/found_versions",
    "FileChange": "domain/library_files",
    "Game": "domain/games",
    "GameCompany": "domain/companies",
    "GameRequest": "domain/game_requests",
    "GameRequestVote": "domain/game_requests",
    "GameTag": "domain/tags",
    "ImportCheckpoint": "features/import_parts",
    "ImportPart": "features/import_parts",
    "ImportRun": "features/bulk_import",
    "Invitation": "features/invitations",
    "Library": "domain/libraries",
    "MovedRow": "features/moving_in",
    "NewsArticle": "features/news",
    "NewsFeed": "features/news",
    "Node": "nodes",
    "Notification": "features/notifications",
    "NotificationPreferences": "features/notifications",
    "OpenIdFlow": "features/openid",
    "OpenIdSession": "features/openid",
    "OpenIdTest": "features/openid",
    "PasswordReset": "features/accounts",
    "PatchSet": "features/patches",
    "Picture": "domain/artwork",
    "PictureUse": "domain/artwork",
    "PlanRow": "features/bulk_import",
    "PlayRecord": "features/play_records",
    "PlaySession": "features/play_records",
    "ProviderResponse": "metadata",
    "ProviderState": "metadata",
    "QueuedInstallation": "features/device_installations",
    "RunRow": "features/bulk_import",
    "SearchEntry": "domain/search",
    "ServerProfile": "features/server_profile",
    "SignInMethod": "features/accounts",
    "StoredObject": "domain/objects",
    "StoredSetting": "domain/server_settings",
    "Tag": "domain/tags",
    "Task": "tasks",
    "TaskLogEntry": "tasks",
    "Token": "features/tokens",
    "Upload": "features/uploads",
    "TrashItem": "domain/library_files",
    "TransferDay": "domain/transfers",
    "User": "features/accounts",
    "UserSession": "features/sessions",
    "Version": "domain/games",
    "Webhook": "features/webhooks",
    "WebhookDelivery": "features/webhooks",
}
# A statement whose table is chosen at run time, and why it may change rows of several owners.
_BY_KIND = {
    "auth/queries.py: update(table)": "the resolver of credentials records when a session or a device was last used",
    "domain/attributes/queries.py: delete(table)": "companies and tags pass their own tables",
    "domain/attributes/queries.py: update(table)": "companies and tags pass their own tables",
}


def _package(module: Module) -> str:
    return module.place.rpartition("/")[0]


def _models_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} & _TABLES


def _added(function: AnyFunction, value: ast.expr) -> set[str]:
    """Return the models of what is added to a session: a constructor call, a parameter, or a local variable."""
    if not isinstance(value, ast.Name):
        return {each for call in calls(value) for each in _models_in(call.func)}
    arguments = [*function.args.args, *function.args.kwonlyargs]
    annotations = [each.annotation for each in arguments if each.arg == value.id and each.annotation]
    assigned = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and any(ast.unparse(target) == value.id for target in node.targets)
    ]
    return {each for node in (*annotations, *assigned) for each in _models_in(node)}


def _written(function: AnyFunction) -> Iterator[tuple[ast.Call, set[str]]]:
    """Yield each call that changes rows, and the models that it changes."""
    for call in calls(function):
        name = ast.unparse(call.func).rpartition(".")[2]
        if name in _WRITES and call.args:
            yield call, _models_in(call.args[0])
        elif name in ("insert_into", "insert_or_ignore"):
            yield call, _models_in(call.args[1])
        elif ast.unparse(call.func) in ("session.add", "session.add_all", "session.delete", "session.merge"):
            yield call, _added(function, call.args[0])


def _statements() -> list[tuple[Module, ast.Call, set[str]]]:
    return [
        (module, call, written)
        for module in modules()
        if is_queries(module)
        for function in functions(module.tree)
        for call, written in _written(function)
    ]


def test_only_the_owner_of_a_table_changes_its_rows() -> None:
    writers = {(model, _package(module)) for module, _, written in _statements() for model in written}
    strangers = {f"{package} changes {model}" for model, package in writers if _OWNERS[model] != package}
    assert len(writers) > 30
    assert strangers == set()


def test_every_table_has_an_owner() -> None:
    written = {model for _, _, models_written in _statements() for model in models_written}
    assert _OWNERS.keys() == _TABLES - _WRITTEN_ELSEWHERE
    assert written == _OWNERS.keys()


def test_the_tables_changed_by_each_statement_are_known() -> None:
    unclear = {f"{module.place}: {ast.unparse(call)}" for module, call, written in _statements() if not written}
    assert unclear == set(_BY_KIND)
