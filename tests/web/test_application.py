"""The web application: precompressed files and security headers."""

import gzip
import re
from pathlib import Path

import httpx2
import pytest

from playdock.web import application
from world import World, running_world

_PARTS = re.compile(r'(?:src|href)="(/[^"]+)"')
_DOCUMENT = "<!doctype html><script src='/theme.js'></script><p>Playdock"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a build: a document, a file with a hash in its name, one without, and compressed forms."""
    folder = tmp_path / "built"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(_DOCUMENT)
    (folder / "theme.js").write_text("theme")
    (folder / "assets/main-1a2b.js").write_text("main" * 100)
    (folder / "assets/main-1a2b.js.gz").write_bytes(gzip.compress(b"main" * 100))
    (folder / "assets/main-1a2b.js.br").write_bytes(b"brotli")
    for language in ("en", "de"):
        (folder / f"assets/{language}-3c4d5e6f.js").write_text(language)
    monkeypatch.setattr(application, "BUILT", folder)
    return folder


def _get(site: World, path: str, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return site.any_user().request("GET", path, headers={"accept-encoding": "identity", **named})


@pytest.mark.parametrize(
    "path", ["/", "/auth/register?id=1", "/auth/signin", "/device?user_code=A", "/games/7", "/admin/x/y", "/docs/api"]
)
@pytest.mark.usefixtures("built")
def test_every_page_returns_the_html_document(site: World, path: str) -> None:
    shown = _get(site, path)
    assert (shown.status_code, shown.text) == (200, _DOCUMENT)
    assert shown.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("path", ["/icon.svg", "/theme.js", "/store"])
def test_texts_have_a_charset(site: World, built: Path, path: str) -> None:
    (built / "icon.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    shown = _get(site, path)
    assert shown.headers["content-type"].endswith("; charset=utf-8")
    assert ("x-frame-options" in shown.headers) == (path != "/theme.js")


@pytest.mark.parametrize("path", ["/nowhere", "/assets/gone.js", "/store2"])
@pytest.mark.usefixtures("built")
def test_an_unknown_path_returns_404_with_the_html_document(site: World, path: str) -> None:
    assert (_get(site, path).status_code, _get(site, path).text) == (404, _DOCUMENT)


@pytest.mark.parametrize("path", ["/api/nothing", "/api/v1/nothing", "/api/v1/games/x/nothing"])
@pytest.mark.usefixtures("built")
def test_no_path_below_api_returns_html(site: World, path: str) -> None:
    missing = _get(site, path)
    assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize(
    "path", ["/../application.py", "/assets/../../application.py", "/assets/%2e%2e/%2e%2e/application.py"]
)
@pytest.mark.usefixtures("built")
def test_no_other_files_are_served(site: World, path: str) -> None:
    assert "import" not in _get(site, path).text


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/", "no-cache"),
        ("/theme.js", "public, max-age=86400"),
        ("/assets/main-1a2b.js", "public, max-age=31536000, immutable"),
    ],
)
@pytest.mark.usefixtures("built")
def test_the_cache_lifetime_of_a_file_depends_on_its_name(site: World, path: str, kept: str) -> None:
    assert _get(site, path).headers["cache-control"] == kept


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.1", "gzip"),
        ("identity", None),
        ("zstd", None),
    ],
)
@pytest.mark.usefixtures("built")
def test_the_smallest_encoding_accepted_by_the_browser_is_sent(site: World, accepted: str, coding: str | None) -> None:
    with httpx2.stream("GET", f"{site.address}/assets/main-1a2b.js", headers={"accept-encoding": accepted}) as sent:
        body = b"".join(sent.iter_raw())
    forms = {"br": b"brotli", None: b"main" * 100}
    assert sent.headers.get("content-encoding") == coding
    assert sent.headers["vary"] == "Accept-Encoding"
    assert body == forms.get(coding, body)


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr-FR, en;q=0.5, de;q=0.4", "en"), ("fr", "en"), ("%%", "en")],
)
@pytest.mark.usefixtures("built")
def test_translations_for_the_browsers_language_are_preloaded(site: World, accepted: str, language: str) -> None:
    named = _get(site, "/store", accept_language=accepted).headers["link"]
    assert named == f"</assets/{language}-3c4d5e6f.js>; rel=modulepreload"


@pytest.mark.usefixtures("built")
def test_each_encoding_has_its_own_etag_and_is_not_sent_again(site: World) -> None:
    plain, packed = (_get(site, "/assets/main-1a2b.js", accept_encoding=one) for one in ("identity", "gzip"))
    again = _get(site, "/assets/main-1a2b.js", if_none_match=plain.headers["etag"])
    assert plain.headers["etag"] != packed.headers["etag"]
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.usefixtures("built")
def test_head_returns_the_headers_of_get(site: World) -> None:
    told = site.any_user().request("HEAD", "/theme.js")
    assert (told.status_code, told.content, told.headers["content-length"]) == (200, b"", "5")


@pytest.mark.parametrize("path", ["/", "/assets/main-1a2b.js"])
@pytest.mark.usefixtures("built")
def test_content_sniffing_and_cross_site_use_are_forbidden(site: World, path: str) -> None:
    headers = _get(site, path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/", "/nowhere", "/docs/api"])
@pytest.mark.usefixtures("built")
def test_the_content_security_policy_allows_only_own_resources(site: World, path: str) -> None:
    headers = _get(site, path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert (policy["default-src"], policy["script-src"], policy["style-src"]) == ("'none'", "'self'", "'self'")
    assert (policy["frame-ancestors"], policy["base-uri"]) == ("'none'", "'none'")
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.usefixtures("built")
def test_hsts_is_sent_only_by_https_servers(site: World, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/secure.db"
    with running_world(tmp_path, database_url=database, external_url="https://play.example.org") as world:
        secure = _get(world, "/").headers
    assert "strict-transport-security" not in _get(site, "/").headers
    assert secure["strict-transport-security"] == "max-age=31536000; includeSubDomains"


def test_without_built_pages_the_response_explains_how_to_build_them(
    site: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "BUILT", tmp_path)
    told = _get(site, "/auth/register?id=1")
    assert (told.status_code, "make install" in told.text, "/api/openapi.json" in told.text) == (503, True, True)
