"""Answer reads of reference data from a cache."""
