"""Signing in and out as an ERP user."""
