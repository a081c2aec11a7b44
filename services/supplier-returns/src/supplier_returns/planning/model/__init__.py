"""Frozen values of planning: plannings, lines, documents, stock and their states."""
