"""Download links: signed addresses for download tools that have no credential.

Anyone with a link can download one thing of one version: its content, the installation as an archive, or a single
file. A link acts with its creator's permission to download, for as long as the creator has it, until it *expires*. A
link for a number of downloads has a *quota* of bytes: each transfer reserves the bytes it is going to send and
releases those it did not send, so that parallel and resumed downloads are counted correctly. Compressed content counts
as many bytes as it has before compression.
"""
