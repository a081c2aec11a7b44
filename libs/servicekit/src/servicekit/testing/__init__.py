"""For tests and local tools alone; no service imports it."""
