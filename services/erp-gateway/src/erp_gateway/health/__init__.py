"""Health check of the container image. Images run it, so its path must not change."""
