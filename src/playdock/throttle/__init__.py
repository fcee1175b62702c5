"""Throttling of wrong attempts: too many against one account or from one address, and all further ones wait.

Failures are rows, so every process counts the same ones and a restart forgets none. Successes never count.
A sign-in with OpenID, and a device that asks to be let in, count when they begin, however they end: until then they
take up room.
"""
