"""Settings in the database, which administrators change on the settings page, and how they take effect.

A *stored* setting is used unless the environment or a file sets it. Every process reads the stored settings when it
starts, and again when their cache revision has changed; then it changes the `Settings` that its services share, and
calls its *listeners*: functions that pass changed values to what has copied them. A stored value that is not valid is
left out, so that it never keeps the service from starting.
"""
