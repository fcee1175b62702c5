"""Tests of the web layer and of the OpenAPI document."""
