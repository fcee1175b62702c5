"""Transfers: how much each user downloaded, by day.

A *download* is everything one user received of one version on one day (UTC), no matter how many requests or processes
sent it, complete or not, patches included. Its bytes are those of the content that was sent, before it is compressed
for sending, counted when a response ends; a response handed to a web server in front counts with its announced length.
Bytes sent for a signed link count for the user who created the link.
"""
