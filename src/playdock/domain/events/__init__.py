"""What happened, for everybody who wants to know: notifications are made of events.

An *event* is recorded in the transaction of what it is about, so that it exists exactly if that has happened.
"""
