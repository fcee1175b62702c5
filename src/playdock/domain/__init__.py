"""Code that several features share and that has no routes: games, their metadata, installations, images, search."""
