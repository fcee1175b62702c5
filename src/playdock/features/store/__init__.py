"""Store: browsing games.

A *card* is the summary of a game in a listing; a game's *page* has everything about it. Listings can be searched,
filtered and sorted. They have pages with *cursors*: a cursor contains the sort value and the id of a page's last game.
Unlike an offset, a cursor costs the same on every page, and no game is repeated or skipped when other games are
imported in the meantime.
"""
