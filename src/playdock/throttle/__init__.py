"""Throttling of failed attempts: after too many for one account or network, further attempts are rejected for a time.

Failures are rows in the database, so all processes count the same ones and they survive a restart. A guess of a
password is counted before it is checked and *forgiven* if it is right, so successful attempts do not count. An unknown
invitation or user code is counted after it was looked up: requests at the same time may exceed those limits by the
number of threads, which does not help to guess one. OpenID sign-ins and device authorizations count when they start,
whatever their result, because each occupies a row until it ends.
"""
