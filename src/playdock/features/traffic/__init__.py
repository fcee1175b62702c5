"""Traffic: how much is sent at once and how fast.

Every transfer takes from its user's *line* and from that of the whole service. At each line one at a time has the turn,
in the order in which they came, and in the service's line a user's transfers stand as one. So nobody who wants much
keeps others from a little, and nobody gets more by asking more often.
"""
