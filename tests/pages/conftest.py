"""The pages in a real browser, of a real service."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from pages.browsing import CHROMIUM, PATIENCE, Visitor, start, visiting
from playdock.web.application import BUILT
from world import World


def _lacking() -> str:
    if not (BUILT / "index.html").is_file():
        return "The pages have not been built: run `make install` with Node.js."
    return "" if shutil.which(CHROMIUM) else "There is no browser: install Debian's chromium."


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. It goes with its module: as long as it runs, no other test here could run an event loop."""
    if lacking := _lacking():
        assert "CI" not in os.environ, lacking
        pytest.skip(lacking)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        started = start(playwright)
        yield started
        started.close()


@pytest.fixture
def world(embedded_world: World) -> World:
    """What pages show comes by the interface, which is tested on each database; pages are tested on one."""
    return embedded_world


Visit = Callable[..., Visitor]


@pytest.fixture
def visit(browser: Browser, world: World) -> Iterator[Visit]:
    """Let somebody come: as a stranger, or signed in by ``username``."""
    with ExitStack() as visits:

        def come(username: str | None = None, **wanted: Any) -> Visitor:
            visitor = visits.enter_context(visiting(browser, world.address, **wanted))
            if username:
                visitor.sign_in(username)
            return visitor

        yield come
