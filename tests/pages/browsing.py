"""People at a real browser: what they click, what they see, and what the browser complains about."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Request

from world import PASSWORD

CHROMIUM = "chromium"
AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
# Asked by `evaluate`, which the page's own policy does not forbid as it does waiting for an expression.
_RESTING = """async () => {
  while (document.getAnimations().some((one) => one.playState === 'running')) {
    await new Promise(requestAnimationFrame);
  }
}"""
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_ALL_RULES = {"runOnly": {"type": "tag", "values": _TAGS}}
# The rules whose outcome depends on colors.
COLOR_RULES = ("color-contrast", "link-in-text-block")
_MAX_MESSAGES = 300
# A busy machine must not make a test fail.
PATIENCE = 60_000
# What a browser says of an answer that is no success, and of a socket that was cut; the page itself tells people.
_EXPECTED = ("Failed to load resource", "WebSocket connection to")


class Scheme(Enum):
    DARK = "dark"
    LIGHT = "light"


@dataclass(frozen=True, slots=True)
class Screen:
    """What somebody looks at."""

    width: int = 1280
    height: int = 800
    touch: bool = False


DESK = Screen()
PHONE = Screen(375, 760, touch=True)


def start(playwright: Playwright) -> Browser:
    """Start Debian's Chromium."""
    return playwright.chromium.launch(executable_path=shutil.which(CHROMIUM), args=list(_FLAGS))


@dataclass
class Visitor:
    """Somebody at a browser, in a session of their own."""

    address: str
    context: BrowserContext
    page: Page
    elsewhere: tuple[str, ...] = ()
    complaints: list[str] = field(default_factory=list)

    def sign_in(self, username: str) -> None:
        """Sign in as the page does, without its form."""
        draft = {"username": username, "password": PASSWORD}
        answer = self.context.request.post("/api/v1/auth/signin/simple", data=draft)
        assert answer.ok, answer.text()

    def open(self, path: str) -> Page:
        """Open a page and wait until it has what it asked for."""
        self.page.goto(path)
        self.settle()
        return self.page

    def settle(self) -> None:
        self.page.wait_for_load_state("networkidle")
        self._rest()

    def prefer(self, scheme: Scheme) -> None:
        self.page.emulate_media(color_scheme=scheme.value)
        self._rest()

    def _rest(self) -> None:
        """Wait until nothing moves and no colour changes any more."""
        self.page.evaluate(_RESTING)

    def violations(self, *rules: str) -> list[str]:
        """Look at the page as axe does: which rule is broken, by what. Unless some rules are named, all are checked."""
        return self._violations({"runOnly": {"type": "rule", "values": rules}} if rules else _ALL_RULES)

    def violations_other_than_colors(self) -> list[str]:
        """The same without the rules about colors, which take longer than all others."""
        return self._violations({**_ALL_RULES, "rules": {rule: {"enabled": False} for rule in COLOR_RULES}})

    def _violations(self, selected: dict[str, Any]) -> list[str]:
        if self.page.evaluate("typeof axe === 'undefined'"):
            self.page.evaluate(AXE.read_text())
        options = json.dumps({**selected, "resultTypes": ["violations"]})
        found: dict[str, Any] = self.page.evaluate(f"axe.run(document, {options})")
        return [f"{one['id']}: {node['html'][:_MAX_MESSAGES]}" for one in found["violations"] for node in one["nodes"]]

    def sideways(self) -> int:
        """How many pixels the page is wider than what is seen of it."""
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        pixels: int = self.page.evaluate(wide)
        return pixels

    def listen(self) -> None:
        """Write down what the browser complains about: errors, and what the page's own policy refused."""
        self.page.on("console", self._heard)
        self.page.on("request", self._requested)
        self.page.on("pageerror", lambda error: self.complaints.append(f"{error.message} {error.stack}"))

    def _requested(self, request: Request) -> None:
        ours = request.frame.url.startswith((self.address, "about:"))
        if ours and not request.url.startswith((self.address, *self.elsewhere, "data:", "blob:")):
            self.complaints.append(f"The page asked {request.url}")

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not message.text.startswith(_EXPECTED):
            self.complaints.append(message.text)


@contextmanager
def visiting(
    browser: Browser,
    address: str,
    *,
    screen: Screen = DESK,
    scheme: Scheme = Scheme.DARK,
    language: str = "en-GB",
    motion: bool = False,
    elsewhere: tuple[str, ...] = (),
    program: str | None = None,
) -> Iterator[Visitor]:
    """Somebody comes, looks around, and leaves; the browser had nothing to complain about.

    ``elsewhere`` are the addresses beside the service's own that its pages may lead to, ``program`` is the user agent
    of another browser.
    """
    context = browser.new_context(
        base_url=address,
        viewport={"width": screen.width, "height": screen.height},
        has_touch=screen.touch,
        is_mobile=screen.touch,
        color_scheme=scheme.value,
        locale=language,
        user_agent=program,
        reduced_motion="no-preference" if motion else "reduce",
    )
    context.set_default_timeout(PATIENCE)
    visitor = Visitor(address, context, context.new_page(), elsewhere)
    visitor.listen()
    try:
        yield visitor
    finally:
        context.close()
    assert not visitor.complaints, visitor.complaints
