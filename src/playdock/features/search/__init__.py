"""Search: finding games by what is written of them, also when it is typed wrong."""
