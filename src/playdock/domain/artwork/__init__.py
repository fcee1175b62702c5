"""Artwork: the pictures of games.

A picture is *downloaded* (checked, re-encoded and stored) outside any transaction, and *adopted* in the transaction of
its game. It is stored as *renditions*: sizes for grid, page and banner, each as WebP and as PNG or JPEG, each an
object. A picture's id is the id of its largest WebP, so it can be fetched directly. Its *uses* are stored separately:
cover, banner, icon, logo, or a position in the carousel. Its *placeholder* (a ThumbHash and a color) is shown while
the picture loads. A *preview* is a small copy of a search result's picture; it is shown but not stored.
"""
