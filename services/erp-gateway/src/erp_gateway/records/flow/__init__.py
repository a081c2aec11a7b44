"""The documents before and after a document."""
