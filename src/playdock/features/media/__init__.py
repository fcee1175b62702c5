"""Media: fetching stored objects and previews.

An *object* is fetched by its id by users who may read it; it never changes. A *preview* is a small copy of a search
result's picture: pages cannot load pictures from other hosts. Previews are for administrators and for those who
request games, and are cached in memory but not stored.
"""
