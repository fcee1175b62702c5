"""Games: imported games and their versions. A game is added by an import; a folder belongs to at most one game."""
