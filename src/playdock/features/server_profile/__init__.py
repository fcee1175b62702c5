"""The server's profile: what it calls itself.

An administrator sets the *name* of the server, a *greeting* for people who have been invited, and a *logo*. Anyone can
read them, because the pages to register and to sign in show them. Without a name the server is called Playdock.
"""
