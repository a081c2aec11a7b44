"""Access to objects of foreign PDFs, which may have any type."""

import pikepdf


def items(value: object) -> list[pikepdf.Object]:
    """Return the items of an array, and none for other values."""
    return list(value) if isinstance(value, pikepdf.Array) else []


def dictionaries(value: object) -> list[pikepdf.Object]:
    """Return the dictionaries in an array."""
    return [each for each in items(value) if isinstance(each, pikepdf.Dictionary)]
