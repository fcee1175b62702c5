"""The processes of a game on Windows: a job object, whose completion port tells when its last process has ended."""

import ctypes
import subprocess
import sys
from collections.abc import Sequence
from ctypes import wintypes
from typing import IO

from playdock_client.playing.program_start import ProgramStart

assert sys.platform == "win32"

_CREATE_SUSPENDED = 0x4
_ASSOCIATE_COMPLETION_PORT = 7
_ACTIVE_PROCESS_ZERO = 4
_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_ntdll = ctypes.WinDLL("ntdll")
_kernel32.CreateJobObjectW.restype = wintypes.HANDLE
_kernel32.CreateIoCompletionPort.restype = wintypes.HANDLE
_kernel32.CreateIoCompletionPort.argtypes = [wintypes.HANDLE, wintypes.HANDLE, ctypes.c_size_t, wintypes.DWORD]
_kernel32.SetInformationJobObject.argtypes = [wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD]
_kernel32.AssignProcessToJobObject.argtypes = [wintypes.HANDLE, wintypes.HANDLE]
_kernel32.TerminateJobObject.argtypes = [wintypes.HANDLE, wintypes.UINT]
_kernel32.GetQueuedCompletionStatus.argtypes = [
    wintypes.HANDLE,
    ctypes.POINTER(wintypes.DWORD),
    ctypes.POINTER(ctypes.c_size_t),
    ctypes.POINTER(ctypes.c_void_p),
    wintypes.DWORD,
]
_ntdll.NtResumeProcess.argtypes = [wintypes.HANDLE]


class _CompletionPort(ctypes.Structure):
    _fields_ = (("key", ctypes.c_void_p), ("port", wintypes.HANDLE))


class WindowsJob:
    """A program in a job object of its own. All processes that it starts belong to the job."""

    def __init__(self, start: ProgramStart) -> None:
        """Start the program suspended, so that it cannot start others before it is in the job. Raises OSError."""
        self._job = _required(_kernel32.CreateJobObjectW(None, None))
        self._port = _required(_kernel32.CreateIoCompletionPort(wintypes.HANDLE(-1), None, 0, 1))
        port = _CompletionPort(self._job, self._port)
        _required(
            _kernel32.SetInformationJobObject(
                self._job, _ASSOCIATE_COMPLETION_PORT, ctypes.byref(port), ctypes.sizeof(port)
            )
        )
        self._first = start.open(flags=_CREATE_SUSPENDED)
        handle = wintypes.HANDLE(int(self._first._handle))  # type: ignore[attr-defined]  # noqa: SLF001
        self._in_job = bool(_kernel32.AssignProcessToJobObject(self._job, handle))
        _ntdll.NtResumeProcess(handle)

    @property
    def outputs(self) -> Sequence[IO[bytes] | None]:
        return self._first.stdout, self._first.stderr

    def wait(self) -> int:
        message, key, overlapped = wintypes.DWORD(), ctypes.c_size_t(), ctypes.c_void_p()
        while self._in_job and message.value != _ACTIVE_PROCESS_ZERO:
            # In short waits, since Ctrl-C is not handled during a call.
            _kernel32.GetQueuedCompletionStatus(
                self._port, ctypes.byref(message), ctypes.byref(key), ctypes.byref(overlapped), 500
            )
        return self._first.wait()

    def terminate(self) -> None:
        """Close the windows of the first process and its children, as the task manager does."""
        command = ["taskkill", "/t", "/pid", str(self._first.pid)]
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - a program of the system

    def kill(self) -> None:
        _kernel32.TerminateJobObject(self._job, 1)
        self._first.kill()


def _required(result: int | None) -> int:
    """Return the result of a system call. Raises OSError if it failed."""
    if not result:
        raise ctypes.WinError(ctypes.get_last_error())
    return result
