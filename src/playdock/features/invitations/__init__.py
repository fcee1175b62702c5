"""Invitations: how people sign up with a password.

An admin *creates* an invitation and shares its link. Anyone with the link can *redeem* it once before it *expires*. The
invitation's id is its secret. The user name, email address and admin role set in an invitation take precedence over
what the invitee enters. An invitation is used up only when the user is created: a failed sign-up leaves it valid.
"""
