"""Brings windows to the front on Windows, where the process in front decides who else may come there."""

import ctypes
import sys
from ctypes import wintypes

assert sys.platform == "win32"

_ANY_PROCESS = 0xFFFFFFFF
_RESTORE = 9
_user32 = ctypes.WinDLL("user32")
_Examine = ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.HWND, wintypes.LPARAM)
_user32.EnumWindows.argtypes = [_Examine, wintypes.LPARAM]
_user32.GetWindowThreadProcessId.argtypes = [wintypes.HWND, ctypes.POINTER(wintypes.DWORD)]
for _function in (_user32.IsWindowVisible, _user32.IsIconic, _user32.SetForegroundWindow):
    _function.argtypes = [wintypes.HWND]
_user32.ShowWindow.argtypes = [wintypes.HWND, ctypes.c_int]


def allow_others() -> None:
    """Let any process come to the front, if this one may: the player has just started it."""
    _user32.AllowSetForegroundWindow(_ANY_PROCESS)


def bring_to_front(process_id: int) -> bool:
    """Bring a window of a process to the front, and return whether it has one. The system may only let it blink."""
    found = []

    def examine(window: int, _: int) -> bool:
        owner = wintypes.DWORD()
        _user32.GetWindowThreadProcessId(window, ctypes.byref(owner))
        if owner.value == process_id and _user32.IsWindowVisible(window):
            found.append(window)
        return True

    _user32.EnumWindows(_Examine(examine), 0)
    for window in found[:1]:
        if _user32.IsIconic(window):
            _user32.ShowWindow(window, _RESTORE)
        _user32.SetForegroundWindow(window)
    return bool(found)
