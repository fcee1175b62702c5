"""Running games: process trees, play sessions, and what games run now.

`playdock-client launch` is the only process that starts games. It follows all processes of the game until the last one
has ended, and keeps a record of the *play session* on disk. Other processes read the records, ask the launcher to stop
its game, and send the sessions that have ended to their server.
"""
