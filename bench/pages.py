"""The web pages in a browser: bytes of the first visit, and time to first paint on a slow phone.

The baseline is a page of one sentence from the same service under the same conditions, which is the cost of the network
and the browser.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from bench.plenty import GAMES, fill
from bench.servers import PASSWORD, Service, service
from bench.table import Row
from playdock.db.database import Database

_TIMES = 5
# Lighthouse's slow phone: 1.6 Mbit/s down, 0.75 up, a round trip of 150 ms, and a processor four times slower.
_NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
_SLOWER = 4
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_PHONE = {"width": 412, "height": 823}
_SEEN = "performance.getEntriesByType('paint').find((one) => one.name === 'first-contentful-paint')?.startTime ?? 0"
_LARGEST = """new Promise((found) => new PerformanceObserver((list) => found(list.getEntries().at(-1).startTime))
  .observe({ type: 'largest-contentful-paint', buffered: true }))"""
# Scrolls by a number of pixels in each of 240 frames, and returns the duration of each frame.
_SCROLL = """(pixels) => new Promise((end) => {
  const frames = [];
  let last = performance.now();
  const step = (now) => {
    frames.push(now - last);
    last = now;
    window.scrollBy(0, pixels);
    if (frames.length < 240) requestAnimationFrame(step);
    else end(frames);
  };
  requestAnimationFrame(step);
})"""
_STEP = 60


@dataclass(frozen=True, slots=True)
class Visit:
    """A first visit: transferred bytes of code, styles and fonts, and milliseconds to the first paint."""

    bytes: int
    first: float
    largest: float


def measure() -> Iterator[Row]:
    with (
        tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder,
        service(Path(folder)) as served,
        sync_playwright() as playwright,
    ):
        database = Database(served.settings.database)
        fill(database)
        database.close()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(_FLAGS))
        yield from _first_visits(browser, served)
        yield _scrolling(browser, served)
        browser.close()


def _first_visits(browser: Browser, served: Service) -> Iterator[Row]:
    """Measure visitors at the sign-in page and players at the store, each next to a page of one sentence."""
    plain = [_visit(browser, served, "/auth/oidc") for _ in range(_TIMES)]
    for what, path, username in (("sign-in page", "/auth/signin", ""), ("store", "/", "ada")):
        visits = [_visit(browser, served, path, username=username) for _ in range(_TIMES)]
        size = median(visit.bytes for visit in visits)
        yield Row(f"first visit of the {what}: code, styles, letters", f"{size / 1000:.0f} kB", "", "", "below 200 kB")
        yield _beside(f"{what} on a slow phone, something seen", "first", visits, plain)
        yield _beside(f"{what} on a slow phone, the largest part seen", "largest", visits, plain)


def _beside(what: str, name: str, visits: Sequence[Visit], plain: Sequence[Visit]) -> Row:
    ours, theirs = (median(getattr(visit, name) for visit in some) for some in (visits, plain))
    return Row(what, f"{ours:.0f} ms", f"a page of one sentence {theirs:.0f} ms", f"{ours / theirs:.1f}", "below 1 s")


def _visit(browser: Browser, served: Service, path: str, *, username: str = "") -> Visit:
    """Visit a page for the first time with a slow network and a slow processor."""
    context = _context(browser, served, username)
    page = context.new_page()
    counted: list[int] = []
    devices = context.new_cdp_session(page)
    devices.send("Network.enable")
    devices.send("Network.emulateNetworkConditions", _NETWORK)
    devices.send("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
    ours = set[str]()
    devices.on("Network.responseReceived", lambda event: ours.add(event["requestId"]) if _is_code(event) else None)
    devices.on(
        "Network.loadingFinished",
        lambda event: counted.append(int(event["encodedDataLength"])) if event["requestId"] in ours else None,
    )
    page.goto(path)
    page.wait_for_load_state("networkidle")
    visit = Visit(sum(counted), first=page.evaluate(_SEEN), largest=page.evaluate(_LARGEST))
    context.close()
    return visit


def _is_code(event: dict[str, dict[str, str]]) -> bool:
    return event["type"] in {"Document", "Script", "Stylesheet", "Font"}  # type: ignore[comparison-overlap]


def _scrolling(browser: Browser, served: Service) -> Row:
    """Scroll through all games. The baseline is the page without scrolling."""
    context = _context(browser, served, "ada")
    page = context.new_page()
    page.goto("/store?sort=name")
    page.wait_for_load_state("networkidle")
    still = sorted(page.evaluate(_SCROLL, 0))
    moving = sorted(page.evaluate(_SCROLL, _STEP))
    context.close()
    late, usual = (ordered[len(ordered) * 95 // 100] for ordered in (moving, still))
    what = f"scrolling through {GAMES:,} games, 95 of 100 frames within"
    return Row(what, f"{late:.0f} ms", f"standing still {usual:.0f} ms", f"{late / usual:.1f}", "")


def _context(browser: Browser, served: Service, username: str) -> BrowserContext:
    context = browser.new_context(base_url=served.running.address, viewport=_PHONE, is_mobile=True, has_touch=True)  # type: ignore[arg-type]
    if username:
        draft = {"username": username, "password": PASSWORD}
        assert context.request.post("/api/v1/auth/signin/simple", data=draft).ok
    return context
