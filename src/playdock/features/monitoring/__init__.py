"""Monitoring: figures about the whole service, for programs that watch it.

They are read from the database whenever they are wanted, so that they are the same whichever process is asked. What
only one process knows, such as its requests, is counted there (`web/metrics.py`).
"""
