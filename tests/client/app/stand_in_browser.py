"""A stand-in for Chromium: opens the page that it is started with, and writes down what happens to its window."""

import http.client
import json
import os
import re
import stat
import sys
import threading
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

RECORD = Path(__file__).with_name("record")
_APP = "--app=file://"
_lock = threading.Lock()


def note(*words: object) -> None:
    with _lock, RECORD.open("a") as record:
        record.write(" ".join(map(str, words)) + "\n")


def get(origin: str, path: str, cookie: str = "") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(origin)
    connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
    return connection.getresponse()


def follow(origin: str, cookie: str) -> None:
    """Receive events, as the pages do."""
    events = get(origin, "/_client/v1/events", cookie)
    note("shown")
    name = ""
    for line in events:
        if line.startswith(b"event: "):
            name = line[7:].decode().strip()
        elif name and line.startswith(b"data: "):
            note(name, json.loads(line[6:]))
            name = ""


def obey(origin: str) -> None:
    """Answer commands until the pipe is closed or the window is."""
    buffer = b""
    while piece := os.read(3, 65_536):
        *commands, buffer = (buffer + piece).split(b"\0")
        for each in commands:
            command = json.loads(each)
            targets = {"targetInfos": [{"targetId": "1", "type": "page", "url": f"http://{origin}/"}]}
            result = targets if command["method"] == "Target.getTargets" else {}
            os.write(4, json.dumps({"id": command["id"], "result": result}).encode() + b"\0")
            if command["method"] == "Target.activateTarget":
                note("front")


def run() -> None:
    page = Path(next(each.removeprefix(_APP) for each in sys.argv if each.startswith(_APP)))
    found = re.search(r"url=([^\"]+)", page.read_text())
    assert found
    link = urlsplit(unescape(found[1]))
    answer = get(link.netloc, f"{link.path}?{link.query}")
    cookie = answer.headers["Set-Cookie"].partition(";")[0]
    note("opened", answer.status, f"{stat.S_IMODE(page.stat().st_mode):o}", "key=" in " ".join(sys.argv))
    threading.Thread(target=follow, args=[link.netloc, cookie], daemon=True).start()
    obey(link.netloc)


if __name__ == "__main__":
    run()
