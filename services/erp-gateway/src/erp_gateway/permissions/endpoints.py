"""`/api/permissions` and `/api/user/menu`."""
