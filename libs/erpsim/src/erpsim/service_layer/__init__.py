"""Simulated Service Layer that answers requests to `/b1s/v1` and `/b1s/v2`."""
