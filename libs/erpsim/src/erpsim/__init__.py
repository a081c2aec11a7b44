"""erpsim."""
