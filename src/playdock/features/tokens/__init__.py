"""API tokens: credentials for programs, with some of their owner's permissions.

A token never has more permissions than its owner has when it is used. Its secret is shown only once and stored as a
digest. A token expires, at the latest after the lifetime that a setting allows. Tokens are managed in a signed-in
session, never with another token; administrators can see and revoke everyone's.
"""
