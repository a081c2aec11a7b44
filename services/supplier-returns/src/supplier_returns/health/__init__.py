"""Whether the process lives."""
