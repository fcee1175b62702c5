"""Nodes: the machines or containers whose processes share a database.

Each process that serves or runs tasks has a row in the table ``nodes`` and renews it. The rows tell administrators what
runs, tell an upgrade whether an older release still runs, and carry what each process wants of the download limits.
"""
