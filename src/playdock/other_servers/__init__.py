"""Reading the databases of other game servers, so that people can move from them.

Each server has a reader: a module that turns the tables of its supported releases into a `SourceServer`, the same
neutral form for all. Names of tables and columns are those of the servers' public sources. Databases are opened
read-only, and nothing here writes anything.
"""
