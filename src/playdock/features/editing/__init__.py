"""Editing: games as administrators see and change them.

What an administrator gives is *Manual*: no refresh overwrites it, unless it names the field. To *refresh* a game is to
ask its provider, or another one, what is known now. Pictures are added by upload and chosen by their ids. Deleting a
game or a version leaves its folder, which can be imported again. The order of a game's versions says which one players
get as the newest, and what the next delta goes over.
"""
