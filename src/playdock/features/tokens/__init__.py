"""API tokens: some of a person's rights for a program.

A token never has more rights than its owner has at the moment of use. Its secret is shown once and stored as a digest.
Tokens are managed by a person who is signed in, never with a token.
"""
