"""Stopping a process: on SIGTERM and SIGHUP, and although threads hang."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing import connection, parent_process
from types import FrameType
from typing import TypeAlias

import structlog

_log = structlog.get_logger()

SignalHandler: TypeAlias = Callable[[int, FrameType | None], None] | signal.Handlers

# Ends a process that is draining. SIGTERM would not do: service managers and terminals send that, or SIGINT, to every
# process of a service, in addition to the one that sends it to the others.
END_NOW = signal.SIGUSR1


def hangup_handler() -> SignalHandler:
    """Return the handler for SIGHUP: the process stops as on SIGTERM, unless it ignores SIGHUP, as with ``nohup``."""
    return signal.SIG_IGN if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else _terminate


def exit_on_signals() -> None:
    """Let SIGTERM and SIGHUP end the process with status 0, as Ctrl-C does: for a start, with nothing to wait for."""
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(END_NOW, _leave)
    signal.signal(signal.SIGHUP, hangup_handler())


def call_on_stop(call: Callable[[], object]) -> None:
    """Call a function at SIGTERM and SIGINT before the handlers that are installed now; it must not block."""
    for number in (signal.SIGTERM, signal.SIGINT):
        handler = signal.getsignal(number)
        if callable(handler):
            signal.signal(number, partial(_call_first, call, handler))


def _call_first(
    call: Callable[[], object], handler: Callable[[int, FrameType | None], object], number: int, frame: FrameType | None
) -> None:
    call()
    handler(number, frame)


def exit_within(seconds: float) -> None:
    """End the process after a time with status 0, if it has not ended by itself.

    A thread that waits for a network share that hangs cannot be ended, and Python waits for all threads.
    """
    timer = threading.Timer(seconds, _exit)
    timer.daemon = True
    timer.start()


def stop_with_parent() -> None:
    """Send this process SIGTERM when the process that started it with ``multiprocessing`` has ended.

    A parent that was killed cannot stop the others, and those would keep its port.
    """
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_wait_for_end, args=[parent.sentinel], name="parent", daemon=True).start()


def _wait_for_end(sentinel: int) -> None:
    connection.wait([sentinel])
    os.kill(os.getpid(), signal.SIGTERM)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGTERM)


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.exit()


def _exit() -> None:
    names = [thread.name for thread in threading.enumerate() if not thread.daemon and thread.name != "MainThread"]
    _log.warning("stopped although threads are waiting, probably for a network share", threads=sorted(names))
    os._exit(0)
