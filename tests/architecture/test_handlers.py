"""Handlers call only what takes the actor, so that no route can forget to ask whether its caller may."""

import ast
from collections.abc import Iterator
from inspect import getattr_static, signature
from typing import Any, get_type_hints

from playdock.web.services import Services

from .source import Module, functions, named

# What handlers may call all the same, and why.
_WITHOUT_ACTOR = {
    "Accounts.check_reset": "the link itself is the credential",
    "Accounts.reset_password": "public: the link's id is the secret",
    "ClientDownloads.list_all": "public: the client is no secret",
    "ClientDownloads.list_updates": "public: the client is no secret",
    "ClientDownloads.find": "public: the client is no secret",
    "ClientDownloads.opener": "public: what find returned",
    "ClientDownloads.threads": "public: what find returned is read with them",
    "ClientDownloads.admit": "public: all callers share one limit",
    "Deliveries.verify": "public: the token of the link is the secret",
    "Deliveries.unsubscribe": "public: the token of the link is the secret",
    "Devices.request_codes": "public: a device has no user before it is authorized (RFC 8628)",
    "Devices.exchange": "public: the device code is the secret",
    "DropSignIns.initiate": "public: a device has no user before it is approved",
    "DropSignIns.complete": "public: the token of the sign-in is the secret",
    "Invitations.find": "public: the invitation's id is the secret",
    "Invitations.redeem": "public: the invitation's id is the secret",
    "OpenId.begin": "public: who signs in is nobody yet",
    "OpenId.begin_test": "public: the id of the test is the secret",
    "OpenId.finish": "public: the code of the provider is the secret",
    "OpenId.farewell": "takes what sign_out returned to the actor",
    "News.feed": "public: the secret of the feed is the credential",
    "ServerProfiles.show": "public: the page to register shows it",
    "Sessions.sign_in": "public: the password is the secret",
    "Objects.read": "takes what describe returned to the actor",
    "SavedGames.opener": "takes what find returned to the actor",
    "SavedGames.threads": "takes what find returned to the actor",
    "Downloads.manifest": "takes what version returned to the actor",
    "Downloads.frames": "takes what find returned to the actor",
    "Downloads.opener": "takes what find returned to the actor",
    "Downloads.threads_for": "takes what find returned to the actor",
    "Downloads.report": "takes what find returned to the actor",
    "Downloads.threads": "where find_patches found the bytes is read with them",
    "Downloads.patches": "where find_patches found the bytes",
    "Downloads.transfers": "admit takes the actor",
    "Downloads.compressing_threads_for": "takes what find returned to the actor",
}


def _services() -> dict[str, type]:
    """Return the services of features by the names of their classes."""
    types = get_type_hints(Services).values()
    return {
        each.__name__: each for each in types if each.__module__.startswith(("playdock.domain.", "playdock.features."))
    }


def _takes_actor(member: Any) -> bool:
    return callable(member) and list(signature(member).parameters)[1:2] == ["actor"]


def _used(module: Module) -> Iterator[tuple[str, str]]:
    """Yield every attribute of a service that a handler, or a function beside it, uses."""
    for function in functions(module.tree):
        arguments = [*function.args.args, *function.args.kwonlyargs]
        types = {each.arg: ast.unparse(each.annotation) for each in arguments if each.annotation}
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in types:
                yield types[node.value.id], node.attr


def test_handlers_call_only_methods_that_take_the_actor() -> None:
    services = _services()
    used = {each for module in named("routes.py") for each in _used(module) if each[0] in services}
    others = {
        f"{service}.{name}" for service, name in used if not _takes_actor(getattr_static(services[service], name, None))
    }
    assert len(used) > 80
    assert others == set(_WITHOUT_ACTOR)


def test_handlers_do_not_alias_service_imports() -> None:
    """A handler that names a service otherwise would escape the test above."""
    renamed = [
        module.at(node)
        for module in named("routes.py")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(".service")
        for alias in node.names
        if alias.asname
    ]
    assert renamed == []
