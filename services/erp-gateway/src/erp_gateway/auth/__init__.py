"""Web login, sessions and the brake on guessing."""
