"""Moved games: games whose folder was renamed or moved to another library.

A game is *lost* if its library can be read but no longer lists its folder. A *candidate* is an unimported folder with
the game's content, guessed from names and sizes. An admin confirms a candidate; its content is then compared with the
import, including samples of its bytes, and the game is assigned to the folder. It keeps its id, metadata, versions and
places in collections.
"""
