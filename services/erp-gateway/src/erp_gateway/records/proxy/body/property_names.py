"""Comparison of property names."""

import unicodedata


def fold_name(name: str) -> str:
    """Return the form in which property names are compared.

    Compatibility forms and case variants become plain letters (the long s becomes `s`, the Kelvin sign `k`).
    At worst this refuses a name that the ERP does not know anyway.
    """
    if name.isascii():
        return name.lower().strip()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).strip()
