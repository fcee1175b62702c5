"""Throttling of failed attempts: after too many for one account or network, further attempts are rejected for a time.

Failures are rows in the database, so all processes count the same ones and they survive a restart. A guess is counted
before it is checked and *forgiven* if it is right, so successful attempts do not count. OpenID sign-ins and device
authorizations count when they start, whatever their result, because each occupies a row until it ends.
"""
