"""Decide which menu routes a web user may use, and change those permissions."""
