"""Signing in with OpenID.

A *flow* begins in a browser, leads it to the identity provider and ends, at most once, when the same browser brings a
code back. What it is for was decided when it began: to sign in, to *link* the person at the provider to the account
that is signed in, or to carry out a *guided test* that signs nobody in.

Somebody is recognised by issuer and subject alone, never by an equal name or e-mail address. Who comes for the first
time gets an account. Where an admin group is set, membership gives and withdraws being an admin at every sign-in; the
last enabled admin stays one, so that nobody is locked out.
"""
