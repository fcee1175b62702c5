"""How many collections a user may have."""

# More than anybody browses; bounds the lists, which contain all games of all collections.
MAX_COLLECTIONS = 1000
