"""Let a second process wait for the serving lock and take over."""
