"""An identity provider as one of its clients sees it: OpenID Connect, by authorization code with PKCE.

The provider tells about itself in a *discovery document*, publishes the *keys* that it signs with, and exchanges the
*code* that a browser brings back for an *ID token*: signed *claims* about a person. Nothing that it answers is believed
before it is checked (OpenID Connect Core 1.0, section 3.1.3.7; RFC 7636, 9207, 9700).
"""
