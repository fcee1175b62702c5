"""Invitations: the way to become a user with a password.

An admin *creates* an invitation and passes its link on. Whoever holds the link *redeems* it once, before it *expires*.
The invitation's id is its secret. What it enforces (user name, e-mail address, being an admin) overrides what the
invitee writes. It is used up exactly when the user exists: a sign-up that fails leaves it as it was.
"""
