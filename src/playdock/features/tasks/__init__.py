"""Tasks: watching, listing, starting and cancelling background tasks, and scheduled maintenance.

A task can be watched by users who have one of its permissions; for all others it does not exist. It is polled, or
watched through a web socket that uses Drop's protocol. One poller per process reads the database for all sockets.
"""
