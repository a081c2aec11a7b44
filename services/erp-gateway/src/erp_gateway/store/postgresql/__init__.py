"""PostgreSQL engine of the store."""
