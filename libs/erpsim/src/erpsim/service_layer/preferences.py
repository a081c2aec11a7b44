"""Request headers: page sizes, responses without content, server options for one request."""

from __future__ import annotations

import re
from typing import Final

from erpsim.company.errors import NotSimulatedError
from erpsim.service_layer.wire.messages import SlRequest

RETURN_NO_CONTENT: Final = "return-no-content"
CONTINUE_ON_ERROR: Final = "odata.continue-on-error"
_PAGE_SIZE: Final = re.compile(r"odata\.maxpagesize=([0-9]{1,9})")

_KNOWN_OPTIONS: Final = frozenset(
    {
        "b1s-pagesize",
        "b1s-caseinsensitive",
        "b1s-metadatawithoutsession",
        "b1s-replacecollectionsonpatch",
    }
)
_REFUSED_UNLESS_FALSE: Final = frozenset({"b1s-wcfcompatible"})


def preferences(request: SlRequest) -> frozenset[str]:
    """Return the preferences of a request. Unknown ones are ignored, as HTTP requires."""
    return frozenset(piece.strip() for piece in (request.header("prefer") or "").split(",") if piece.strip())


def preferred_page_size(request: SlRequest) -> int | None:
    """Return the N of `Prefer: odata.maxpagesize=N`, None when not sent."""
    for preference in preferences(request):
        match = _PAGE_SIZE.fullmatch(preference)
        if match is not None:
            return int(match[1])
    return None


def page_size(request: SlRequest) -> int | None:
    """Return the requested page size; `Prefer` wins over `B1S-PageSize` (SAP manual 1.29, settings).

    Raises:
        SlError: 501 for a `B1S-PageSize` that is not a number.
    """
    preferred = preferred_page_size(request)
    if preferred is not None:
        return preferred
    text = request.header("b1s-pagesize")
    if text is None:
        return None
    if not re.fullmatch("[0-9]{1,9}", text.strip()):
        raise NotSimulatedError("a `B1S-PageSize` that is no number")
    return int(text)


def check_options(request: SlRequest) -> None:
    """Refuse `B1S-` headers whose effect is not simulated: they may name any option of `b1s.conf`.

    Raises:
        SlError: 501.
    """
    for name, value in request.headers.items():
        if not name.startswith("b1s-") or name in _KNOWN_OPTIONS:
            continue
        if name in _REFUSED_UNLESS_FALSE and value.strip().lower() == "false":
            continue
        raise NotSimulatedError(f"the request header `{name}`")
