"""Installation without containers by docs/install.md, on a test machine."""
