"""Game metadata from external providers.

A provider is one module and one line in the registry. It declares its capabilities: *search* for games by name, *fetch*
the metadata of games by their ids, or offer *pictures*. All its requests pass through its `ProviderClient`, which
enforces the provider's rate limit, retries temporary failures and caches responses.
"""
