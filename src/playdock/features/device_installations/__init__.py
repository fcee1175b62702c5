"""What is installed on devices, and what their users want to be installed.

A device *reports* its installations: all at once, each time they change. A user can *queue* the installation of a game
on one of their devices, for example from a phone. The client on the device reads its queue, starts the installation,
and *acknowledges* it, which removes it from the queue. An *update* is the newest version for the platform of the
installed one.
"""
