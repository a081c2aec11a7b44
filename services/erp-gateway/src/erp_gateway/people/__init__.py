"""Sign in web users and manage their permissions."""
