"""The API of Drop's desktop clients, on top of the other features (docs/drop-clients.md).

A Drop client *initiates* a sign-in, a user *approves* it in a browser, and the client completes it with a *handshake*,
in which it receives a private key. From then on it is a device, which signs its requests
(`playdock/auth/device_signatures.py`). Its manifests list the files of an installation in chunks of 64 MiB with their
MD5. These are computed once for each layer, and stored as a blob. A *context* is a download of one version.
"""
