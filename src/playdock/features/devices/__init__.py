"""Devices: machines with the player's client that act for a user until they are signed out (RFC 8628).

A device *asks* to be let in and gets two codes: the *user code*, which it shows, and the *device code*, its secret.
A person who is signed in looks the user code up and *allows* or *refuses*. Meanwhile the device asks again and again
with its device code, leaving the *pause* it was told between two questions, and is given its access token once.
A device has every right of its user's own things and none of the system's, and no end of its own.
"""
