"""Event streams: programs read what happens as server-sent events, without a URL that the service could reach.

A *stream* sends the events that webhooks are sent, each with its *position* as the id. A program that was interrupted
continues after the last id that it has received, as long as the events are kept. Positions are given in the order in
which transactions become visible, so that none is left out. A stream holds one batch of events in memory, and reads the
next one when the program has taken them. It ends when its credential is no longer valid, and while the process drains.
"""
