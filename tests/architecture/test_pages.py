"""The pages' source: what belongs where, and that nothing comes from elsewhere."""

import json
import re
from pathlib import Path

import pytest

from playdock.auth.permissions import Permission
from playdock.web.application import PAGE_PREFIXES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "web/src"
MAX_LINES = 250
# It has one line for each code of the service.
LONG = "problems/locales/de.json"
# Each may use what stands below it. Features are strangers to each other but for the low ones.
TOWER = (("App.vue", "App.test.ts", "main.ts", "router.ts"), ("layout",), ("features",), ("problems",), ("kit",))
LOW_FEATURES = (
    "accounts",
    "client",
    "downloads",
    "game_import",
    "games",
    "libraries",
    "news",
    "play_records",
    "saved_games",
    "server_profile",
    "tasks",
    "unimported_files",
    "version_unpacking",
)
ANYWHERE = ("api", "locales", "queries.ts", "queries")
# The frame around pages: what bare pages stand in, and where navigation leads.
FRAME = ("layout/AuthLayout.vue", "layout/navigation")

# Pages that only the app has.
APP_PAGES = {"disconnected", "downloads"}

_IMPORTED = re.compile(r"""(?:from|import)\s*\(?\s*["'](@/|\.\.?/)([^"']+)["']""")
_ADDRESS = re.compile(r'path: "/([^/"]*)')


def _sources() -> list[Path]:
    found = [path for path in SOURCE.rglob("*") if path.suffix in {".ts", ".vue", ".css", ".json"}]
    return [path for path in found if "generated" not in path.parts]


def _imports(path: Path) -> list[str]:
    """Return the modules below `web/src` that a file imports."""
    found = _IMPORTED.findall(path.read_text())
    places = [(SOURCE if root == "@/" else path.parent / root) / rest for root, rest in found]
    return [str(place.resolve().relative_to(SOURCE)) for place in places]


def _level(place: str) -> int:
    part = place.split("/", maxsplit=1)[0]
    return next((at for at, names in enumerate(TOWER) if part in names), len(TOWER))


def test_no_file_is_too_long() -> None:
    lengths = {str(path.relative_to(SOURCE)): len(path.read_text().splitlines()) for path in _sources()}
    assert {path: lines for path, lines in lengths.items() if lines > MAX_LINES and path != LONG} == {}


def test_no_translation_is_given_twice() -> None:
    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        given = dict(pairs)
        assert len(given) == len(pairs), sorted(name for name, _ in pairs)
        return given

    for path in SOURCE.rglob("locales/*.json"):
        json.loads(path.read_text(), object_pairs_hook=unique)


def test_web_features_are_named_like_service_features() -> None:
    ours = {path.name for path in (SOURCE / "features").iterdir()}
    packages = (ROOT / "src/playdock" / layer for layer in ("domain", "features"))
    theirs = {path.parent.name for folder in packages for path in folder.glob("*/__init__.py")}
    # In the service these are game_collections and reports: Python has modules named collections and statistics.
    # The two pages of bulk_import have little in common. The service of `client` is the app on the player's machine.
    assert ours - theirs == {"client", "collections", "statistics", "import_plan", "import_run"}


def test_no_layer_imports_a_higher_one() -> None:
    upward = [
        f"{path.relative_to(SOURCE)} imports {place}"
        for path in _sources()
        for place in _imports(path)
        if _level(place) < _level(str(path.relative_to(SOURCE))) and not place.startswith((*ANYWHERE, *FRAME))
    ]
    assert upward == []


def test_features_import_only_low_level_features() -> None:
    known = []
    for path in (SOURCE / "features").rglob("*"):
        if path.suffix not in {".ts", ".vue"}:
            continue
        own = path.relative_to(SOURCE).parts[1]
        others = {place.split("/")[1] for place in _imports(path) if place.startswith("features/")} - {own}
        known += [f"{path.relative_to(SOURCE)} knows {other}" for other in others - set(LOW_FEATURES)]
    assert known == []


def test_page_prefixes_match_the_web_router() -> None:
    files = [SOURCE / "router.ts", *(SOURCE / "features").rglob("routes.ts")]
    addresses = {place for path in files for place in _ADDRESS.findall(path.read_text())}
    assert {place for place in addresses if not place.startswith(":")} - APP_PAGES == set(PAGE_PREFIXES)


def test_pages_reference_no_external_urls() -> None:
    named = {
        f"{path.relative_to(ROOT)}: {address}"
        for path in [*_sources(), *(ROOT / "web/public").iterdir(), ROOT / "web/index.html"]
        for address in re.findall(r"https?://[^\s\"'`)]+", path.read_text())
    }
    assert {one for one in named if not re.search(r"www\.w3\.org/2000/svg|\.invalid|\.example|\$\{", one)} == set()


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_permission_is_described_in_both_languages(language: str) -> None:
    texts = json.loads((SOURCE / f"features/tokens/locales/{language}.json").read_text())["acls"]
    assert set(texts) == {permission.replace(":", "_") for permission in Permission}


def test_permission_descriptions_match_those_of_the_service() -> None:
    texts = json.loads((SOURCE / "features/tokens/locales/en.json").read_text())["acls"]
    assert texts == {permission.replace(":", "_"): permission.description for permission in Permission}
