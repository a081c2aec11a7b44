"""Generated documentation: `python -m tools.docs`, or `make docs`."""
