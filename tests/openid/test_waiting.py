"""Who waits for a provider that hangs, and who does not."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import httpx2
import pytest

from world import World

from .browser import Browser, Form
from .hostile import TOKEN, HostileProvider, Reply
from .visits import Visitor

_WAITING = 12
_PATIENCE = 8.0


def _send(visitor: Visitor, form: Form) -> httpx2.Response:
    visitor.browser.open(f"{visitor.service}/docs/api")
    return visitor.browser.send(form)


@pytest.fixture
def waiting(trusting: World, hostile: HostileProvider, victim: Visitor) -> Iterator[list[Future[httpx2.Response]]]:
    """More people than may ask the provider at once, whom it keeps waiting; the victim signed in before."""
    victim.sign_in()
    with ExitStack() as stack:
        visitors = [Visitor(stack.enter_context(Browser()), trusting.address) for _ in range(_WAITING)]
        came = [(visitor.begin(), visitor.pass_provider())[1] for visitor in visitors]
        asked = len(hostile.asked_for(TOKEN))
        hostile.lie(replies={TOKEN: Reply(hanging=True)})
        threads = stack.enter_context(ThreadPoolExecutor(_WAITING + 1))
        pending = [threads.submit(visitor.browser.open, back) for visitor, back in zip(visitors, came, strict=True)]
        while len(hostile.asked_for(TOKEN)) < asked + trusting.services.provider_threads.total_tokens:
            time.sleep(0.01)
        yield pending
        hostile.stopping.set()


def test_passwords_do_not_wait_for_the_provider(trusting: World, waiting: list[Future[httpx2.Response]]) -> None:
    trusting.person("bob")
    assert trusting.sign_in("bob").status_code == 200
    assert not any(each.done() for each in waiting)


def test_a_session_ends_whoever_waits_for_the_provider(victim: Visitor, waiting: list[Future[httpx2.Response]]) -> None:
    headers = victim.browser.jar.header("GET", victim.service, site=victim.browser.steps[-1].site)
    with ThreadPoolExecutor(1) as thread:
        leaving = thread.submit(_send, victim, Form("/auth/signout", "POST", {}))
        deadline = time.monotonic() + _PATIENCE
        while httpx2.get(f"{victim.service}/api/v1/user", headers=headers).json() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert httpx2.get(f"{victim.service}/api/v1/user", headers=headers).json() is None
        assert not any(each.done() for each in waiting)
    assert leaving.result().status_code == 303
