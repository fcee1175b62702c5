"""The settings page: what administrators can change without access to the machine.

A setting that the environment or a file sets is *fixed*: the page shows it and says where it is set. Secrets are stored
encrypted, and the page shows only whether they are set. Changing settings can make administrators, by OpenID, so it
requires that permission, too, and a recent sign-in.
"""
