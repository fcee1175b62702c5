"""Downloads: what players get of a game. For now its versions and their manifests."""
