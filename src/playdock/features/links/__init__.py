"""Signed links: addresses that let whoever has them fetch one thing of one version, for tools without a credential.

A link has its maker's right to download and no other, as long as the maker has it, until it *expires*. One for a number
of downloads is *counted*: it holds their bytes, and each transfer *spends* as many as it is going to send and gets back
those that were not sent, so that parallel and resumed ones count for what they are.
"""
