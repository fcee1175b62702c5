"""The repository contains nothing that works only on the machine it was written on."""

import re
from collections.abc import Iterator
from pathlib import Path

from .source import ROOT

_FOLDERS = ("src", "web", "client", "tests", "tools", "bench", "docs", "requirements", ".ci")
# What is fetched, generated or built: others wrote it.
_NOT_OURS = {"__pycache__", "node_modules", "built", "generated", ".venv"}
_SUFFIXES = {
    ".py",
    ".md",
    ".toml",
    ".txt",
    ".html",
    ".js",
    ".mako",
    ".json",
    ".yml",
    ".yaml",
    ".ts",
    ".vue",
    ".css",
    ".svg",
    "",
}
_ADDRESS = re.compile(r"(?:https?|postgres(?:ql)?)://(?:[^\s/@\"'`]*@)?([\w.-]+)")
_LOCAL = re.compile(r"localhost|127\.0\.0\.1|0\.0\.0\.0|[\w.-]*\.?(?:example|invalid|test)(?:\.\w+)?\.?|\w+")
# It names those who wish to be paid for packages; what matters of it is tested below.
_NPM_LOCK = "package-lock.json"
_PUBLIC = {
    "docs.asciinema.org",
    "evanw.github.io",
    "keepachangelog.com",
    "semver.org",
    "ieeexplore.ieee.org",
    "www.rfc-editor.org",
    "github.com",
    "sqlite.org",
    "packages.debian.org",
    # in the text of the license
    "fsf.org",
    "www.gnu.org",
    # metadata providers
    "api.igdb.com",
    "api.steampowered.com",
    "cdn.fastly.steamstatic.com",
    "cdn2.steamgriddb.com",
    "id.twitch.tv",
    "images.igdb.com",
    "images.pcgamingwiki.com",
    "shared.fastly.steamstatic.com",
    "steamcommunity.com",
    "store.steampowered.com",
    "www.giantbomb.com",
    "www.igdb.com",
    "www.pcgamingwiki.com",
    "www.steamgriddb.com",
    # what they say of themselves
    "api-docs.igdb.com",
    "dev.twitch.tv",
    "www.mediawiki.org",
    "www.standardwebhooks.com",
    # a namespace, which nobody fetches
    "www.w3.org",
}


def _texts() -> Iterator[tuple[Path, str]]:
    files = [path for path in ROOT.iterdir() if path.is_file()]
    files += [path for folder in _FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    for path in files:
        if path.suffix in _SUFFIXES and not _NOT_OURS & set(path.parts) and path.name != ".env":
            yield path, path.read_text(errors="replace")


def test_hosts_are_local_or_public() -> None:
    written = ((path, text) for path, text in _texts() if path.name != _NPM_LOCK)
    hosts = ((path, host) for path, text in written for host in _ADDRESS.findall(text))
    assert {host: path for path, host in hosts if not _LOCAL.fullmatch(host) and host not in _PUBLIC} == {}


def test_no_file_contains_the_path_of_the_repository() -> None:
    here = re.compile(rf"(?<![\w/]){re.escape(str(ROOT))}(?![\w-])")
    assert [path for path, text in _texts() if here.search(text)] == []


def test_npm_lock_files_contain_no_package_urls() -> None:
    locks = [
        path for folder in _FOLDERS for path in (ROOT / folder).rglob(_NPM_LOCK) if "node_modules" not in path.parts
    ]
    assert locks
    assert [path for path in locks if '"resolved"' in path.read_text()] == []


def test_requirements_files_contain_no_index_or_urls() -> None:
    locks = [(path, path.read_text()) for path in (ROOT / "requirements").glob("*.txt")]
    assert locks
    assert [path.name for path, text in locks if re.search(r"://|--(extra-)?index|--find-links", text)] == []
