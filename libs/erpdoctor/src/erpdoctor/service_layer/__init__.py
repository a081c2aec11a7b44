"""Checks of a Service Layer: the login, its metadata, and what the account may read."""
