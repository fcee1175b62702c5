"""Sign-in methods: which ones the service offers, and which ones each user has.

The methods are a password (``Simple`` on the wire) and OpenID; settings enable each of them. Every user has at least
one enabled method: the last one cannot be removed.
"""
