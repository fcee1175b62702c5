"""Requests for games, which importing a game fulfills. Their calls are in the feature of the same name."""
