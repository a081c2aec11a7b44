"""SQLite engine of the store."""
