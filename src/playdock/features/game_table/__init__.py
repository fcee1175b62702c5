"""The administrators' table of games: paginated, searched, filtered and sorted by the database alone.

What only the game folders tell, which are offline and which have versions to import, is a call of its own: it lists
every folder, and a share may take long to answer.
"""
