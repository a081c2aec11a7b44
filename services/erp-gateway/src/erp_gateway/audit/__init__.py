"""Record who did what, with names and never values, in a chained log."""
