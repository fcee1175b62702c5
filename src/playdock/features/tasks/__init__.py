"""Tasks as people see them: watching one, listing all, cancelling, and the maintenance that runs by itself.

A task may be watched by whoever has one of its rights; for everybody else it does not exist. It can be polled, or
watched over a web socket that speaks Drop's protocol.
"""
