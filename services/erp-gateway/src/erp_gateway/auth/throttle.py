"""The brake on guessing passwords: 5 failures per user or 20 per address within 15 minutes."""
