"""Rows of the simulated company with keys, versions and undo."""
