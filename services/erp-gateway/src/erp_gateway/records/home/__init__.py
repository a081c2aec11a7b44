"""Figures of the home page."""
