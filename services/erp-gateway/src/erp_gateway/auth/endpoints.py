"""`/api/auth/login`, `/api/auth/me`, `/api/auth/logout`."""
