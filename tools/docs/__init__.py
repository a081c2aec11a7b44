"""Writes the documentation that follows from the code; `python -m tools.docs`, or `make docs`."""
