"""Commands that work beside a running service."""
