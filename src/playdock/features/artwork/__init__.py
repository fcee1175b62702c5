"""Artwork: the pictures of games.

A picture is *gathered* (downloaded, checked, re-encoded and stored) away from any transaction, and *adopted* in the
transaction that it belongs to. It is stored as *renditions*: sizes for grid, page and banner, as WebP and beside it as
PNG or JPEG, each an object. A picture's id is that of its largest WebP, so that it can be fetched as it is. What it is
*used* as is said apart from it: cover, banner, icon, logo, or a place in the carousel. Its *tint* is what a page shows
until the picture is loaded: a placeholder and a colour.

A *preview* is a small copy of a search result's picture, which is shown and not stored.
"""
