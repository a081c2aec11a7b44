"""Helpers for tests and local tools. Services do not import them."""
