"""Sending: bodies of files on their way to a socket, without their bytes passing through the interpreter.

A *transfer* goes in *stints*: a stint has a thread of its own and sends as long as the socket takes more. When it does
not, the transfer waits for the socket without thread, buffer or anything else but the file that it is at.
"""
