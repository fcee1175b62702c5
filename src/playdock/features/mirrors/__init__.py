"""Mirrors: web servers at other places that keep copies of version images, for the player's client.

A mirror is a cache, such as nginx with ``docs/edge-nginx.conf``. It asks this service whether a *ticket* is valid, and
fetches from an *immutable URL* what it does not have yet. The client verifies every chunk, so a mirror is not trusted
with more than a ticket, which opens one version for a few minutes.

Mirrors count and limit nothing: users with limits of their own are offered none.
"""
