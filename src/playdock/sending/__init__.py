"""Sending: bodies of files are sent to a socket without copying their bytes through the interpreter.

`transfer.py` sends one body to one socket. `limits.py` limits the number and the speed of transfers. `files.py` defines
what a transfer needs from the storage, and `threads.py` provides separate threads for each library.
"""
