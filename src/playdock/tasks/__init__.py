"""Background tasks: one table of tasks that runners execute under leases.

A task is *enqueued* in the transaction that requires it. A *runner* claims it, renews its *lease* while it runs, and
may write for it only while it holds the lease. When a runner dies, the lease expires and another runner continues from
the task's last checkpoint; a runner that stops releases its tasks at once. Temporary failures are retried with growing
delays. Only one active task may work on a *subject* (`playdock.stored`).
"""
