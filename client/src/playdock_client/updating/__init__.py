"""The client replaces itself with a newer release that its server offers (docs/decisions/0049).

The setup program for Windows and the archive for Linux install a *base*: a version of the client whose start program,
the *stub*, is what shortcuts, links and Steam start. Beside it is the folder ``versions`` with newer versions, each in
a folder of its own, and ``state.json``, which says which of them the stub runs. Only that file is ever replaced, so an
interruption at any moment leaves a version that starts. The base is never changed and runs if nothing else does.

A client that pipx or uv has installed has no such folder and is not replaced.
"""
