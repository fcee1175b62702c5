"""Editing: games, their pictures and their versions, as administrators see and change them.

Fields edited by an administrator have the source *Manual*: a refresh does not overwrite them unless it names them. A
*refresh* fetches a game's metadata again, from its provider or another one. Pictures are uploaded first and then
selected by id. Deleting a game or a version keeps its folder, which can be imported again. The order of a game's
versions determines which one players get as the latest, and on which one the next delta is based.
"""
