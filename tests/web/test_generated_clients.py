"""Clients generated from the OpenAPI document: without warnings, and with a call to a real server."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from playdock.web.openapi import document_as_json
from world import World

_ROOT = Path(__file__).parents[2]
_GENERATOR = _ROOT / "web/node_modules/.bin/openapi-ts"
_BUNDLER = _ROOT / "web/node_modules/.bin/rolldown"
_PATIENCE = 300.0

pytestmark = pytest.mark.heavy


def _run(*words: str | Path, folder: Path, **environment: str) -> str:
    """Run a command in a folder, and return all that it writes."""
    ended = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_text(document_as_json())
    return path


def test_typescript(embedded_world: World, document: Path, tmp_path: Path) -> None:
    if shutil.which("node") is None or not _GENERATOR.exists():
        pytest.skip("Node.js or the pages' packages are missing: run `make check`.")
    ada = embedded_world.admin()
    generated = _run(_GENERATOR, "-i", document, "-o", "playdock", "-c", "@hey-api/client-fetch", folder=tmp_path)
    assert "Done" in generated
    assert not any(word in generated.lower() for word in ("warn", "error", "unsupported"))
    (tmp_path / "program.ts").write_text(
        'import { readLibraryFeed } from "./playdock";\n'
        'import { client } from "./playdock/client.gen";\n'
        "client.setConfig({ baseUrl: process.env.PLAYDOCK, auth: () => process.env.TOKEN });\n"
        "const { data } = await readLibraryFeed({ throwOnError: true });\n"
        "console.log(data.version, data.games.length);\n"
    )
    _run(_BUNDLER, "program.ts", "--file", "program.mjs", "--format", "esm", "--platform", "node", folder=tmp_path)
    printed = _run("node", "program.mjs", folder=tmp_path, PLAYDOCK=embedded_world.address, TOKEN=ada.token)
    assert printed.strip() == "1 0"


@pytest.mark.network
def test_python(embedded_world: World, document: Path, tmp_path: Path) -> None:
    ada = embedded_world.admin()
    uv, programs = Path(sys.executable).with_name("uv"), tmp_path / "env/bin"
    _run(uv, "venv", "--quiet", "--python", sys.executable, "env", folder=tmp_path)
    _run(uv, "pip", "install", "--quiet", "--python", programs / "python", "openapi-python-client", folder=tmp_path)
    described = (_ROOT / "docs/python.md").read_text()
    (tmp_path / "config.yml").write_text(described.partition("```yaml\n")[2].partition("```")[0])
    words = ("generate", "--path", document, "--output-path", "playdock_calls", "--meta", "none")
    # It formats what it has generated with ruff.
    path = f"{programs}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    generated = _run(programs / "openapi-python-client", *words, "--config", "config.yml", folder=tmp_path, PATH=path)
    assert not any(word in generated.lower() for word in ("warn", "error", "unsupported", "skipping")), generated
    (tmp_path / "program.py").write_text(
        "import os\n"
        "from playdock_calls import AuthenticatedClient\n"
        "from playdock_calls.api.feeds import read_library_feed\n"
        'client = AuthenticatedClient(os.environ["PLAYDOCK"], token=os.environ["TOKEN"])\n'
        "page = read_library_feed.sync(client=client)\n"
        "print(page.version, len(page.games))\n"
    )
    printed = _run(programs / "python", "program.py", folder=tmp_path, PLAYDOCK=embedded_world.address, TOKEN=ada.token)
    assert printed.strip() == "1 0"
