"""Sessions: signing in with a user name and a password, and being signed in.

A *sign-in* that succeeds opens a session: its secret travels as a cookie or as a bearer token. Wrong attempts are
counted per account and per address; a name that nobody has costs the same time and is counted alike.
"""
