"""Who may: a service asks first, and so does every route."""

import ast
import re
from collections.abc import Iterator, Sequence

import pytest

from playdock.auth.permissions import RESERVED_PERMISSIONS, Permission
from playdock.auth.signed_headers import is_drop_path
from playdock.server.routing import Caller, Route, permissions_in
from playdock.web.routes import ROUTES
from world import World

from .source import AnyFunction, Module, body_of, functions, named

_CHECKS = (
    "actor.require(Permission.",
    "actor.require_session()",
    "actor.require_device()",
    "actor.require_recent_sign_in(",
)
_ASK_OTHERWISE = {
    "Objects.describe": "nobody in particular may call; the object's reader decides",
    "Tasks.show": "the rights that the task itself carries decide",
}

_PUBLIC = {
    ("GET", "/api/v1/user"),  # null tells that nobody is signed in
    ("GET", "/api/v1/server"),  # the page to register shows the server's name and greeting
    ("GET", "/api/v1/auth"),  # the page to sign in has to know how
    ("GET", "/api/v1/news/feed/{}"),  # the secret of the feed is the credential
    ("GET", "/api/v1/auth/signup/simple"),  # the invitation's id is the secret
    ("POST", "/api/v1/auth/signup/simple"),
    ("POST", "/api/v1/auth/signin/simple"),
    ("GET", "/api/v1/auth/reset/simple"),  # the link's id is the secret
    ("POST", "/api/v1/auth/reset/simple"),
    ("POST", "/oauth/device_authorization"),  # a device that waits is nobody yet (RFC 8628)
    ("POST", "/oauth/token"),  # the device code is the secret
    ("GET", "/api/v1/object/{}"),  # some objects are anybody's; the others answer 401
    ("HEAD", "/api/v1/object/{}"),
    ("GET", "/api/v1/client-downloads"),  # who is invited needs the client before the first sign-in
    ("GET", "/api/v1/client-downloads/{}"),
    ("HEAD", "/api/v1/client-downloads/{}"),
    ("POST", "/api/v1/notifications/verify"),  # the token of the link is the secret
    ("GET", "/api/v1/notifications/unsubscribe"),  # redirects to the page
    ("POST", "/api/v1/notifications/unsubscribe"),  # the token of the link is the secret
    ("GET", "/api/v1/client-updates"),  # like the downloads; they are sent without a token
}
# Open to anybody, but not to a credential without the permission, or not for everything.
_REQUIRED_WITHIN = {
    Permission.USER_READ: ("GET", "/api/v1/user"),
    Permission.OBJECT_READ: ("GET", "/api/v1/object/{}"),
    Permission.NOTIFICATIONS_LISTEN: ("GET", "/api/v1/notifications/ws"),
    Permission.ADMINS_UPDATE: ("PATCH", "/api/v1/admin/users/{}"),
}
_NOWHERE = "00000000-0000-4000-8000-000000000000"


def _methods_with_an_actor() -> Iterator[tuple[Module, str, AnyFunction]]:
    for module in named("service.py"):
        for service in (node for node in module.tree.body if isinstance(node, ast.ClassDef)):
            for method in functions(service):
                if not method.name.startswith("_") and any(each.arg == "actor" for each in method.args.args):
                    yield module, f"{service.name}.{method.name}", method


def test_services_check_the_permission_first() -> None:
    methods = list(_methods_with_an_actor())
    others = {name for _, name, method in methods if not ast.unparse(body_of(method)[0]).startswith(_CHECKS)}
    assert len(methods) > 30
    assert others == set(_ASK_OTHERWISE)


def _calls(routes: Sequence[Route]) -> set[tuple[str, str]]:
    """Return each route's method and address, with ``{}`` for what is variable in it."""
    return {(method, re.sub("{.*?}", "{}", route.path)) for route in routes for method in route.methods}


_PROTECTED = sorted(_calls(ROUTES) - _PUBLIC)


def test_only_listed_routes_are_public() -> None:
    assert _calls([route for route in ROUTES if route.contract.requires is Caller.ANYBODY]) == _PUBLIC


def test_protected_routes_return_401_to_anonymous_callers(world: World) -> None:
    no_user = world.any_user()
    answers = {
        call: no_user.request(call[0], call[1].replace("{}", _NOWHERE), content=b"{nonsense") for call in _PROTECTED
    }
    assert len(answers) > 30
    # Drop's clients expect 403.
    expected = {call: 403 if is_drop_path(call[1]) else 401 for call in answers}
    assert {call: answer.status_code for call, answer in answers.items()} == expected
    assert {answer.headers["www-authenticate"] for answer in answers.values()} == {"Bearer"}


def test_protected_routes_return_403_to_a_token_without_the_permission(world: World) -> None:
    program = world.token_of(world.admin(), Permission.USER_READ.value)
    answers = {
        call: program.request(call[0], call[1].replace("{}", _NOWHERE), content=b"{nonsense").status_code
        for call in _PROTECTED
    }
    # What is anybody's who is signed in: a task's own rights decide, and a credential may always ask what it may do.
    expected = {("GET", "/api/v1/task/{}"): 404, ("GET", "/api/v1/token"): 200}
    assert {call: status for call, status in answers.items() if status != 403} == expected


def test_a_permission_is_reserved_until_a_call_requires_it() -> None:
    required = {acl for route in ROUTES for acl in permissions_in(route.contract.requires)} | set(_REQUIRED_WITHIN)
    assert set(Permission) - required == RESERVED_PERMISSIONS


@pytest.mark.parametrize("acl", list(Permission))
def test_every_permission_has_a_description(acl: Permission) -> None:
    assert acl.description.endswith(".")
