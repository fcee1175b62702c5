"""Requests that must not wait for a provider that hangs."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import httpx2
import pytest

from world import World

from .browser import Browser, Form
from .hostile import TOKEN, HostileProvider, Response
from .visitor import Visitor

_WAITING = 12
_TIMEOUT_SECONDS = 120.0


def _send(visitor: Visitor, form: Form) -> httpx2.Response:
    visitor.browser.open(f"{visitor.service}/docs/api")
    return visitor.browser.send(form)


@pytest.fixture
def waiting(trusting: World, hostile: HostileProvider, victim: Visitor) -> Iterator[list[Future[httpx2.Response]]]:
    """More pending callbacks than there are threads for the provider, which hangs; the victim is already signed in."""
    victim.sign_in()
    with ExitStack() as stack:
        visitors = [Visitor(stack.enter_context(Browser()), trusting.address) for _ in range(_WAITING)]
        callbacks = [(visitor.start(), visitor.authenticate())[1] for visitor in visitors]
        request_count = len(hostile.requests_to(TOKEN))
        hostile.configure(overrides={TOKEN: Response(hanging=True)})
        threads = stack.enter_context(ThreadPoolExecutor(_WAITING + 1))
        pending = [
            threads.submit(visitor.browser.open, back) for visitor, back in zip(visitors, callbacks, strict=True)
        ]
        while len(hostile.requests_to(TOKEN)) < request_count + trusting.services.provider_threads.total_tokens:
            time.sleep(0.01)
        yield pending
        hostile.stopping.set()


def test_password_sign_ins_do_not_wait(trusting: World, waiting: list[Future[httpx2.Response]]) -> None:
    trusting.person("bob")
    assert trusting.sign_in("bob").status_code == 200
    assert not any(each.done() for each in waiting)


@pytest.mark.both_databases
def test_a_session_can_end_while_other_requests_wait(victim: Visitor, waiting: list[Future[httpx2.Response]]) -> None:
    headers = victim.browser.jar.header("GET", victim.service, site=victim.browser.steps[-1].site)
    with ThreadPoolExecutor(1) as thread:
        sign_out = thread.submit(_send, victim, Form("/auth/signout", "POST", {}))
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        while httpx2.get(f"{victim.service}/api/v1/user", headers=headers).json() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert httpx2.get(f"{victim.service}/api/v1/user", headers=headers).json() is None
        assert not any(each.done() for each in waiting)
    assert sign_out.result().status_code == 303
