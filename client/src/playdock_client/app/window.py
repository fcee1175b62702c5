"""Windows that show the pages of the app: a Chromium browser, else pywebview, else the default browser.

The link in a window's command would be readable for everybody on this machine, so a browser gets the address of a
private file that leads to the link, and pywebview gets the link through a pipe. The default browser gets the link
itself: if it runs in a sandbox, it cannot read the file.
"""

import importlib.util
import os
import subprocess
import sys
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from playdock_client.app.browsers import find_browser
from playdock_client.app.control_pipe import ControlPipe
from playdock_client.atomic_files import write_atomically

if sys.platform == "win32":
    from playdock_client.app import foreground

# A fixed name, because browsers remember the place of a window by its address.
_PAGE = "open.html"
_Process = subprocess.Popen[bytes]


class Window(Protocol):
    """An open window."""

    process: _Process

    def bring_to_front(self, origin: str) -> bool:
        """Bring the window to the front if it shows a page of this origin; return whether that was possible."""

    def close(self) -> None:
        """Let go of a window whose process has ended."""


class UncontrolledWindow:
    """A browser without a pipe. Only on Windows can it be brought to the front, whatever it shows."""

    def __init__(self, process: _Process) -> None:
        self.process = process

    def bring_to_front(self, origin: str) -> bool:  # noqa: ARG002 - as other windows
        if sys.platform == "win32":
            return foreground.bring_to_front(self.process.pid)
        return False

    def close(self) -> None:
        pass


class WebviewWindow:
    """A window of pywebview, in a process of its own (`webview_window.py`), which reads commands from a pipe."""

    def __init__(self, link: str, profile: Path, environment: Mapping[str, str], *, big: bool) -> None:
        command = [sys.executable, "-m", "playdock_client.app.webview_window"]
        self.process = _started(command, environment, subprocess.PIPE)
        self._send(msgspec.json.encode({"link": link, "profile": str(profile), "big": big}))

    def bring_to_front(self, origin: str) -> bool:  # noqa: ARG002 - as other windows
        return self._send(b"front")

    def close(self) -> None:
        if self.process.stdin:
            self.process.stdin.close()

    def _send(self, line: bytes) -> bool:
        try:
            assert self.process.stdin
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()
        except OSError:
            return False
        return True


class Windows:
    """The windows of an agent."""

    def __init__(self, profile: Path, environment: Mapping[str, str]) -> None:
        """``profile`` is the folder of the browser's profile."""
        self._profile = profile
        self._environment = environment
        self._kinds = (self._open_chromium, self._open_webview)
        self._open: list[_OpenedWindow] = []

    @property
    def is_any_open(self) -> bool:
        """Return whether any window is open that can be watched; the default browser cannot."""
        return bool(self._open)

    def open(self, link: str, *, big: bool, after: int = -1) -> None:
        """Open a link in a new window, of a kind ``after`` the one that failed."""
        for number, kind in enumerate(self._kinds):
            if number > after and (window := kind(link, big=big)):
                self._open.append(_OpenedWindow(window, link, number, big))
                return
        webbrowser.open(link)

    def bring_to_front(self, origin: str) -> bool:
        """Bring the window that shows a page of this origin to the front; return whether there is one."""
        return any(each.window.bring_to_front(origin) for each in reversed(self._open))

    def terminate(self) -> None:
        """End the windows, which another agent opens again."""
        for each in self._open:
            each.window.process.terminate()

    def tend(self, is_unused: Callable[[str], bool]) -> None:
        """Forget the windows that were closed. One that failed before it used its link is replaced by another kind."""
        ended = [each for each in self._open if each.window.process.poll() is not None]
        self._open = [each for each in self._open if each not in ended]
        for each in ended:
            each.window.close()
            if each.window.process.returncode and is_unused(each.link):
                self.open(each.link, big=each.big, after=each.kind)

    def _open_chromium(self, link: str, *, big: bool) -> Window | None:
        browser = find_browser(self._profile, self._environment)
        if browser is None:
            return None
        as_root = sys.platform == "linux" and os.geteuid() == 0
        try:
            page = _leading_page(browser.profile, link)
            command = browser.arguments(page.as_uri(), big=big, as_root=as_root)
            if browser.has_pipe:
                return ControlPipe(command, self._environment)
            return UncontrolledWindow(_started(command, self._environment))
        except OSError:
            return None

    def _open_webview(self, link: str, *, big: bool) -> Window | None:
        # A bundled Python has no pywebview.
        if getattr(sys, "frozen", False) or importlib.util.find_spec("webview") is None:
            return None
        return WebviewWindow(link, self._profile, self._environment, big=big)


class _OpenedWindow(NamedTuple):
    window: Window
    link: str
    kind: int
    big: bool


def _leading_page(folder: Path, link: str) -> Path:
    """Write a page that only this user can read and that leads to a link."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    page = folder / _PAGE
    write_atomically(page, f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(link)}">'.encode())
    return page


def _started(command: Sequence[str], environment: Mapping[str, str], stdin: int = subprocess.DEVNULL) -> _Process:
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, env=dict(environment), stdin=stdin, stdout=quiet, stderr=quiet)  # noqa: S603
