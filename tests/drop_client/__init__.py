"""Simulated Drop clients, written from the description of Drop's protocol alone."""
