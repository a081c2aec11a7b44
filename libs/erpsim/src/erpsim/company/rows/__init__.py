"""Complete, key, tag, change and show one row."""
