"""The HTTP client for all requests of the service to other servers.

Each request has limits: the origins it may reach, its total time, and the size of the response. They also apply to
redirects. Responses are read completely, decompressed, and treated as untrusted.
"""
