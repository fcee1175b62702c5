"""A screenshot of the app while it downloads a game."""

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx2
from PIL import Image
from playwright.sync_api import Browser

from playdock_client.client_folders import HOME_VARIABLE, ClientFolders
from playdock_client.credentials import Credentials

_CLIENT = Path(sys.executable).with_name("playdock-client")
_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_PAUSE_MS = 6000
# Slow enough that the download still runs when the picture is taken.
_RATE = 8_000_000
_CALL = """async ([method, path, body]) => {
  const headers = { "Content-Type": "application/json", "Playdock-Client": "1" };
  const answer = await fetch(`/_client/v1/${path}`, { method, headers, body: body && JSON.stringify(body) });
  return answer.json();
}"""


def take_app(browser: Browser, address: str, admin: httpx2.Client, folder: Path, games: Mapping[str, str]) -> None:
    """Write ``app.webp`` to a folder. ``games`` are the ids of the demo library's games by name."""
    with tempfile.TemporaryDirectory() as home, _app(Path(home), address, _token(admin)) as link:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="dark", locale="en-GB")
        page = context.new_page()
        page.goto(link)
        page.get_by_role("link", name="My library").first.wait_for()
        limits = {"limitRate": _RATE, "pauseWhilePlaying": True, "hours": None, "automaticUpdates": True}
        page.evaluate(_CALL, ["PUT", "settings", limits])
        page.evaluate(_CALL, ["POST", f"games/{games['SuperTuxKart']}/install", {}])
        page.goto(page.evaluate("location.origin") + f"/games/{games['SuperTuxKart']}")
        page.get_by_role("progressbar").wait_for()
        page.wait_for_timeout(_PAUSE_MS)
        Image.open(io.BytesIO(page.screenshot())).convert("RGB").save(folder / "app.webp", quality=82, method=6)
        context.close()


def _token(admin: httpx2.Client) -> str:
    """Sign a device in."""
    form = {"client_id": "playdock-client", "device_name": "Ada's laptop", "platform": "Linux"}
    codes = admin.post("/oauth/device_authorization", data=form).raise_for_status().json()
    body = {"userCode": codes["user_code"], "approve": True}
    admin.post("/api/v1/user/client/request", json=body).raise_for_status()
    form = {"grant_type": _GRANT, "client_id": "playdock-client", "device_code": codes["device_code"]}
    found: str = admin.post("/oauth/token", data=form).raise_for_status().json()["access_token"]
    return found


@contextmanager
def _app(home: Path, address: str, token: str) -> Iterator[str]:
    """Run the app of a device, and yield its link."""
    environment = {**os.environ, HOME_VARIABLE: str(home)}
    Credentials(ClientFolders.from_environment(environment).credentials).add(address, token)
    command = [str(_CLIENT), "app", "--no-window", "--json"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["link"]
        finally:
            process.terminate()
