"""Companies: the developers and publishers of games, in an order per game and role."""
