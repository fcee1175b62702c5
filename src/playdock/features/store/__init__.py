"""The store: the games as players see them, page by page.

A *card* is what a listing shows of a game, a game's *page* all there is to know. Listings are sorted and may be
searched and filtered. Where the next page begins is told by a *cursor*: the sorted value and the id of the last game.
Unlike a count of games to leave out it costs the same for every page, and no game is shown twice or left out when
others are imported meanwhile.
"""
