"""A fault-injection run: clients use a real service while faults are injected, and nothing acknowledged may be lost.

    python -m torture --minutes 60 --state FOLDER

A *cycle* is: clients work, a fault is injected (into a cluster several, into all nodes at the same time), nodes are
started again if necessary, the clients stop, and the *invariants* are checked against everything that the service has
acknowledged. What clients send and what is acknowledged is written to a *journal*, so that a run can be interrupted and
resumed.
"""
