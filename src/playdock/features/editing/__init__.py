"""Editing: games as administrators see and change them.

What an administrator gives is *Manual*: no refresh overwrites it, unless it names the field. To *refresh* a game is to
ask its provider, or another one, what is known now. Pictures are added by upload and chosen by their ids. Deleting a
game leaves its folder, which can be imported again.
"""
