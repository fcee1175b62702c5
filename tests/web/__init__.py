"""Tests of the web edge and of the document that describes it."""
