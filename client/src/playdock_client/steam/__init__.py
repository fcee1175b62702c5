"""Steam's list of games that it does not sell (*non-Steam games*), to which installed games can be added.

Steam keeps the list of each account in ``userdata/ID/config/shortcuts.vdf``, and pictures beside it in ``grid``. The
format is not documented, so that nothing is changed unless the whole file is understood, and a copy is kept. Steam
reads the files when it starts and writes them from memory, so they are changed only while it is not running.
"""
