"""The database: SQLite in a file or PostgreSQL, accessed by synchronous code in worker threads.

Transactions begin and end only in `Database.read()` and `Database.write()`.
"""
