"""Accounts: the people of the service.

A *user* comes to be only through an authentication mechanism (an invitation with a password, or single sign-on), never
by a direct call. User names are unique without regard to case. At least one *enabled admin* always remains. Every
user has a profile picture from the beginning. A *reset link* lets a user who forgot the password set a new one, once.
"""
