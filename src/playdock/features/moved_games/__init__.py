"""Moved games: the folder of a game was renamed or put into another library.

The game is *lost* while its library does not list its folder. What has its content is a *candidate*: a folder that is
no game yet. It is guessed from names and sizes; an admin confirms. Then the content is compared, also by some of its
bytes, and the game lies there: its id, what is told of it, its versions and players' collections stay.
"""
