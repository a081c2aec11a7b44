"""Who did what, and with what result; names only, never values."""
