"""OpenID: signing in through an identity provider (OpenID Connect).

A *flow* starts in a browser, which is redirected to the identity provider, and ends, at most once, when that browser
returns with a code. Its purpose is fixed at the start: to sign in, to *link* the provider's identity to the signed-in
account, or to run a *guided test*, which signs no one in.

An account is found by issuer and subject only, never by user name or email address. A new identity gets a new account.
If an admin group is configured, each sign-in grants or removes the admin role according to group membership; the last
enabled admin keeps the role, so that the service always has an admin.
"""
