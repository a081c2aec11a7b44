"""erpclient."""
