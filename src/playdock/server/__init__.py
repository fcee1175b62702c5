"""The HTTP layer that all features share: routes with contracts, cookies, responses, and the origin of requests."""
