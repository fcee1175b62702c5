"""The process of a window of pywebview (`pip install playdock-client[window]`).

Its standard input has one line of JSON with what to show, and then a line for each command. It is closed by the agent.
"""

import sys
import threading
from typing import Any

import msgspec
import webview  # type: ignore[import-not-found]

_TITLE = "Playdock"


class ShowRequest(msgspec.Struct, frozen=True):
    """What to show: a link, with the profile in a folder, and whether it fills the screen."""

    link: str
    profile: str
    big: bool = False


def run() -> None:
    request = msgspec.json.decode(sys.stdin.readline(), type=ShowRequest)
    window = webview.create_window(_TITLE, request.link, width=1280, height=800, fullscreen=request.big)
    threading.Thread(target=_obey, args=[window], daemon=True).start()
    # In private mode the pages have no storage and do not start.
    webview.start(private_mode=False, storage_path=request.profile)


def _obey(window: Any) -> None:
    """Bring the window to the front for each line; close it when the agent has ended."""
    window.events.shown.wait()
    for _ in sys.stdin:
        window.restore()
        window.show()
    window.destroy()


if __name__ == "__main__":
    run()
