"""Upgrade of a store written by an older commit, and the way back."""
