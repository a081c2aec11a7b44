"""Answer reads of reference data from memory."""
