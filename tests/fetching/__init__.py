"""Tests of the HTTP client for requests to other servers."""
