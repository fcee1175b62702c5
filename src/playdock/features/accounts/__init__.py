"""Accounts: the users of the service.

A *user* is created only by signing up (with an invitation and a password, or through single sign-on), never by a
direct call. User names are unique, ignoring case. At least one *enabled admin* always remains. Every user has a
profile picture from the start. A *reset link* lets a user who forgot the password set a new one; it works once.
"""
