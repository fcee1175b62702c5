"""HTTP as all features speak it: routes with their contracts, the session cookie, where a request comes from."""
