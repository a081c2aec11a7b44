"""Whether a request prefers to be answered before its work is done (RFC 7240). No I/O."""

from collections.abc import Iterable
from typing import Final

RESPOND_ASYNC: Final = "respond-async"


def prefers_async(values: Iterable[str]) -> bool:
    """Tell whether the values of `Prefer` name `respond-async`; how long to wait (`wait`) counts nothing."""
    return any(
        preference.partition(";")[0].strip().casefold() == RESPOND_ASYNC
        for value in values
        for preference in value.split(",")
    )
