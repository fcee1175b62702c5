"""Sessions: signing in with a user name and a password.

A successful *sign-in* opens a session, whose secret is sent as a cookie or a bearer token. A session lasts a day, or 90
days if requested. Failed attempts are counted per account and per network, in a *known browser* only on their own;
unknown user names are counted in the same way and take the same time, so that they cannot be told apart from known
ones.
"""
