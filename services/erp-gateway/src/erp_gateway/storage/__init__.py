"""The gateway's own store: one SQLite file with a single writer."""
