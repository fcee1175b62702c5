"""An OpenID Connect client that uses the authorization code flow with PKCE.

The provider describes itself in a *discovery document*, publishes its signing *keys*, and exchanges the *code* that a
browser brings back for an *ID token*, which contains signed *claims* about a user. Every response is validated before
it is used (OpenID Connect Core 1.0, section 3.1.3.7; RFC 7636, 9207, 9700).
"""
