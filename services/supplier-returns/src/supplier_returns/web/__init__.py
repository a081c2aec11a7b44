"""What every HTTP feature shares: access, sessions, origins, error translation."""
