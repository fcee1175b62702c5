"""Tags of games; each tag has a kind, such as genre, and a game's tags have an order."""
