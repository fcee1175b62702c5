"""Answering apps that search for servers on the local network.

An app broadcasts a *query*, one UDP datagram; each server answers with its name and its address. An answer is never
longer than the query, goes to private addresses only, and contains nothing that the pages do not show to anybody.
"""
