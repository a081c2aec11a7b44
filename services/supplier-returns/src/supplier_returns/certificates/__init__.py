"""Load and check the HTTPS certificate, and serve a renewed one without a restart."""
