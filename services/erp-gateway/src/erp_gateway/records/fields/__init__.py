"""Describe the fields of a resource: Spanish title, kind and allowed values."""
