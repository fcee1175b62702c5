"""Sessions: signing in with a user name and a password.

A successful *sign-in* opens a session, whose secret is sent as a cookie or a bearer token; it ends the session that the
browser had before. A session lasts a day, or 90 days if requested, but ends earlier if it is not used for the time that
a setting allows. Calls that give lasting access require a *recent* sign-in: a session whose user signed in, or
*confirmed* the password, within the last minutes.

Failed attempts are counted per account and per network, in a *known browser* only on their own; unknown user names are
counted in the same way and take the same time, so that they cannot be told apart from known ones.
"""
