"""Report health and system status."""
