"""Stock: what can be fetched of versions, found once and remembered until something changes.

A *stocked* version knows its layers and where they lie; an *item* is something of it that can be sent: its image, all
of it as an archive, or one file. The tables that this takes are kept in memory while they are being asked for.
"""
