"""Shortcuts to games: entries of menus and desktops, and the scheme of links that open the client."""
