"""Choosing a folder for a library: browsing the server's folders, and a preview of what a library there would contain.

Folders are *browsed* inside the roots of libraries, or everywhere if there are none, except where the service's own
data is; links are not followed. A *preview* names the layout that the folder seems to have, and what would be listed
with it. Nothing is saved.
"""
