"""Notifications: what users are told without asking.

An *announcement* turns recorded events into *notifications* of the users whom they concern. Administrators are notified
of failures, damage, a full disk and new folders; everybody of new games, and of new versions of the games that they
have installed or in their library or a collection. Events of one type that are announced together become one
notification. Users can restrict new games to platforms and tags, and *mute* types of events.
"""
