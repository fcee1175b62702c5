"""Stopping a process: on SIGTERM and SIGHUP, and although threads hang."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import TypeAlias

import structlog

_log = structlog.get_logger()

SignalHandler: TypeAlias = Callable[[int, FrameType | None], None] | signal.Handlers


def hangup_handler() -> SignalHandler:
    """Return the handler for SIGHUP: the process stops as on SIGTERM, unless it ignores SIGHUP, as with ``nohup``."""
    return signal.SIG_IGN if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else _terminate


def exit_on_signals() -> None:
    """Let SIGTERM and SIGHUP end the process with status 0, as Ctrl-C does: for a start, with nothing to wait for."""
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGHUP, hangup_handler())


def exit_within(seconds: float) -> None:
    """End the process after a time with status 0, if it has not ended by itself.

    A thread that waits for a network share that hangs cannot be ended, and Python waits for all threads.
    """
    timer = threading.Timer(seconds, _exit)
    timer.daemon = True
    timer.start()


def _terminate(_number: int, _frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGTERM)


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.exit()


def _exit() -> None:
    names = [thread.name for thread in threading.enumerate() if not thread.daemon and thread.name != "MainThread"]
    _log.warning("stopped although threads are waiting, probably for a network share", threads=sorted(names))
    os._exit(0)
