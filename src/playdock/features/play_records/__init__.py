"""How long people play games, and what they note about them. Only the person sees these records.

A *play session* is one run of a game. The client records it, with an id that it chooses, and uploads it; uploading it
again does nothing. *Play time* is the sum of the sessions. For each game a person can set a *status* and write a
*note*. Sessions and notes are deleted with the game or the account, and restored with a game from the trash.
"""
