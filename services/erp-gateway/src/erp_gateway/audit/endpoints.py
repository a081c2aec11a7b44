"""`GET /api/audit`."""
