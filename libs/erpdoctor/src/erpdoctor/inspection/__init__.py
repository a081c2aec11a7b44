"""Inspect a Service Layer in a separate session."""
