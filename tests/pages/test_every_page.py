"""Every page with something on it: usable by everybody, on a phone, in German."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from databases import SqliteDatabases
from offered_clients import write_clients
from pages.browsing import COLOR_RULES, PHONE, Scheme, Visitor, visiting
from pages.filled import Filled, fill
from plans import GAMES
from playdock.metadata.providers import Providers
from shops import FakeProvider
from world import running_world

SOURCE = Path(__file__).parents[2] / "web/src"
_ROUTE = re.compile(r'path:\s*"(/[^"]*)"')
# What a finger has to hit is 44 px high: all that looks like a control. Of a field counts what is seen of it.
_SMALL = """() => {
  const controls = 'button, summary, select, [role=tab], a, input:not([type=checkbox], [type=radio], [type=file])';
  const looks = (one) => getComputedStyle(one);
  const isBox = (one) => looks(one).display.includes('flex') && looks(one).position === 'static';
  const isSeen = (one) => one.checkVisibility() && looks(one).clipPath === 'none';
  const seenOf = (one) =>
    one.matches('input') && looks(one).backgroundColor === 'rgba(0, 0, 0, 0)' ? seenOf(one.parentElement) : one;
  const height = (one) => seenOf(one).getBoundingClientRect().height;
  return [...document.querySelectorAll(controls)]
    .filter((one) => isSeen(one) && (!one.matches('a') || isBox(one)) && height(one) > 1 && height(one) < 43.5)
    .map((one) => `${height(one)} px high: ${one.outerHTML.slice(0, 300)}`);
}"""


def strangers_pages(filled: Filled) -> dict[str, list[str]]:
    """The addresses at which each route is looked at by somebody who is not signed in."""
    return {
        "/auth/register": [f"/auth/register?id={filled.invitation}", "/auth/register?id=dead"],
        "/auth/reset": [f"/auth/reset?id={filled.reset}", "/auth/reset?id=used", "/auth/reset"],
        "/auth/signin": ["/auth/signin"],
        "/auth/:action(email|unsubscribe)": ["/auth/email?token=used", "/auth/unsubscribe?token=used"],
        "/client": ["/client"],
    }


def pages(filled: Filled) -> dict[str, list[str]]:
    """The same for somebody who may see everything."""
    return {
        "/": ["/"],
        "/store": ["/store", "/store?q=doom", "/store?q=nothinglikethis"],
        "/games": ["/games"],
        "/games/:id": [f"/games/{filled.game}", f"/games/{filled.damaged}", "/games/gone"],
        "/requests": ["/requests"],
        "/requests/answered": ["/requests/answered"],
        "/news": ["/news"],
        "/news/:id": [f"/news/{filled.article}", "/news/gone"],
        "/admin/news/new": ["/admin/news/new", f"/admin/news/new?game={filled.game}"],
        "/admin/news/:id": [f"/admin/news/{filled.article}"],
        "/library": ["/library"],
        "/collections": ["/collections"],
        "/collections/:id": [f"/collections/{filled.collection}"],
        "/client": ["/client"],
        "/auth/welcome": ["/auth/welcome"],
        "/client/authorize/:id": [f"/client/authorize/{filled.drop_client}"],
        "/device": ["/device", f"/device?user_code={filled.code}"],
        "/account/:section(sign-in|devices|notifications|tokens|downloads)?": [
            "/account",
            "/account/sign-in",
            "/account/devices",
            "/account/notifications",
            "/account/tokens",
            "/account/downloads",
        ],
        "/admin": ["/admin"],
        "/admin/start": ["/admin/start", "/admin/start?step=1", "/admin/start?step=2"],
        "/admin/import/:part(certain)?": ["/admin/import", "/admin/import/certain", f"/admin/import?row={filled.row}"],
        "/admin/import/game": ["/admin/import/game", f"/admin/import/game?library={filled.library}&path=Hades"],
        "/admin/import/runs": ["/admin/import/runs"],
        "/admin/import/runs/:id": [f"/admin/import/runs/{filled.run}"],
        "/admin/libraries": ["/admin/libraries"],
        "/admin/uploads": ["/admin/uploads"],
        "/admin/trash": ["/admin/trash"],
        "/admin/games": ["/admin/games"],
        "/admin/games/:id/:tab(pictures|versions|metadata|files)?": [
            f"/admin/games/{filled.game}",
            f"/admin/games/{filled.game}/pictures",
            f"/admin/games/{filled.damaged}/versions",
            f"/admin/games/{filled.game}/metadata",
            f"/admin/games/{filled.game}/files",
        ],
        "/admin/games/:id/import": [f"/admin/games/{filled.damaged}/import"],
        "/admin/webhooks": ["/admin/webhooks"],
        "/admin/tags": ["/admin/tags"],
        "/admin/companies": ["/admin/companies"],
        "/admin/damage": ["/admin/damage"],
        "/admin/damage/moved": ["/admin/damage/moved"],
        "/admin/users": ["/admin/users"],
        "/admin/users/:id": [f"/admin/users/{filled.user}"],
        "/admin/server": ["/admin/server"],
        "/admin/settings/:section?": ["/admin/settings", "/admin/settings/email", "/admin/settings/nothing"],
        "/admin/audit": ["/admin/audit"],
        "/admin/invitations": ["/admin/invitations"],
        "/admin/tasks": ["/admin/tasks"],
        "/admin/tasks/:id": [f"/admin/tasks/{filled.task}"],
        "/:path(.*)*": ["/nothing/here"],
    }


@pytest.fixture(scope="module")
def filled(sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """A service on which every page has something to show."""
    folder = tmp_path_factory.mktemp("filled")
    providers = Providers([FakeProvider("Steam", GAMES)])
    url = sqlite_databases.fresh(folder / "data")
    write_clients(folder / "clients")
    with running_world(folder, database_url=url, providers=providers, clients=str(folder / "clients")) as world:
        yield fill(world)


def look(browser: Browser, filled: Filled, errors_of: Callable[[Visitor], list[str]], **wanted: Any) -> str:
    """Look at every page and tell what is wrong with each, a line for each fault."""
    found: list[str] = []
    for addresses, username in ((strangers_pages(filled), None), (pages(filled), "ada")):
        with visiting(browser, filled.world.address, **wanted) as visitor:
            if username:
                visitor.sign_in(username)
            for address in chain.from_iterable(addresses.values()):
                visitor.open(address)
                found += [f"{address} {fault}" for fault in (*errors_of(visitor), *visitor.complaints)]
                visitor.complaints.clear()
    return "\n".join(found)


def test_every_route_is_tested(filled: Filled) -> None:
    files = [*SOURCE.glob("features/**/routes.ts"), SOURCE / "router.ts"]
    routes = {path for file in files for path in _ROUTE.findall(file.read_text())}
    # test_reference.py and test_app.py test the API reference, whose markup is Swagger UI's, and the pages of the app.
    assert routes == {*strangers_pages(filled), *pages(filled), "/docs/api", "/disconnected", "/downloads"}


def test_every_page_is_accessible_in_both_color_schemes(browser: Browser, filled: Filled) -> None:
    def errors_of(visitor: Visitor) -> list[str]:
        visitor.prefer(Scheme.DARK)
        found = [f"dark: {violation}" for violation in visitor.violations()]
        visitor.prefer(Scheme.LIGHT)
        return found + [f"light: {violation}" for violation in visitor.violations(*COLOR_RULES)]

    faults = look(browser, filled, errors_of)
    assert not faults, faults


def test_every_page_fits_a_phone_in_german(browser: Browser, filled: Filled) -> None:
    english, keys = english_alone(), re.compile(rf"\b(?:{'|'.join(parts())})\.[a-z]\w+(?:\.\w+)*\b")

    def errors_of(visitor: Visitor) -> list[str]:
        page, said = visitor.page, visitor.page.locator("body").inner_text()
        found = [*visitor.violations_other_than_colors(), *page.evaluate(_SMALL)]
        found += [*keys.findall(said), *english.intersection(line.strip() for line in said.splitlines())]
        if wider := visitor.sideways():
            found.append(f"is {wider} px wider than the phone")
        if (headings := page.locator("h1").count()) != 1:
            found.append(f"has {headings} headings of the first level")
        if not re.fullmatch(r".+ · Playdock", page.title()):
            found.append(f"has the title {page.title()}")
        return found

    faults = look(browser, filled, errors_of, screen=PHONE, language="de-DE")
    assert not faults, faults


def sentences(language: str) -> set[str]:
    """All that the pages say in a language."""

    def leaves(branch: Any) -> Iterator[str]:
        if isinstance(branch, str):
            yield from (form.strip() for form in branch.split("|"))
        else:
            for each in branch.values():
                yield from leaves(each)

    return {leaf for file in SOURCE.rglob(f"locales/{language}.json") for leaf in leaves(json.loads(file.read_text()))}


def english_alone() -> set[str]:
    """What is said in English and never in German; single words in small letters may be anybody's."""
    return {one for one in sentences("en") - sentences("de") if one[:1].isupper()}


def parts() -> set[str]:
    """The first words of the sentences' keys, such as `store` in `store.title`."""
    return {file.parents[1].name for file in SOURCE.rglob("locales/en.json")}
