"""The database: SQLite in a file or PostgreSQL, spoken to in straight synchronous code from worker threads.

`Database.read()` and `Database.write()` are the only places where a transaction begins and ends.
"""
