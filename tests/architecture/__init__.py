"""The house rules, held by tests."""
