"""Saved games of players, which their devices share.

A *slot* is a series of *saves* of one user for one game. A save is one archive of any form; it never changes. The
*newest* save of a slot is what a device downloads. An upload names the save that it is *based on*. If another one has
become the newest since, that is a *conflict*: the upload is *kept aside*, and the user decides which one becomes the
newest by *restoring* it. The oldest saves beyond a number are deleted; the newest one never is. Nobody but the user can
read or list saves.
"""
