"""News: articles that administrators write for players.

An *article* may concern a game; then it is shown on the page of the game too. One that concerns a version is the
version's *release notes*. A user can have a private *feed*: a URL at which feed readers get the newest articles. Its
secret is shown once; creating it again replaces it.
"""
