"""What every HTTP feature shares: access, sessions, error translation."""
