"""Background work that survives: one table of tasks, carried by runners under leases.

A task is *enqueued* in the transaction that decides on it. A *runner* claims it, renews its *lease* while it works, and
may write for it only while the lease is its own. When a runner dies, the lease runs out and the next runner goes on
from the task's own checkpoints; when a runner stops, it gives the task back at once. Faults that pass are tried again
with growing pauses. Only one living task works on one *subject*.
"""
