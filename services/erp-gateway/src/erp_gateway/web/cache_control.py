"""What a client says about answers from memory."""

from collections.abc import Iterable


def says_no_cache(values: Iterable[str]) -> bool:
    """Tell whether the values of `Cache-Control` ask for an answer that is made now."""
    return any(
        directive.strip().casefold() == "no-cache" for value in values for directive in value.split(",")
    )
