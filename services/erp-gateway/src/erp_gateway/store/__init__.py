"""Store of the gateway in SQLite or PostgreSQL, with its migrations, locks and backups."""
