"""Provider pictures: an administrator chooses a game's pictures from those that all providers offer.

Providers are asked concurrently, by the game's id there or, if it is unknown, by its name. A picture that is *used* is
downloaded by the server and shown in its role with the source *Manual*, so that a refresh keeps it. Only pictures that
a provider offers for the game can be used. Browsers get small copies from this server (`features.media`), and send no
request to providers.
"""
