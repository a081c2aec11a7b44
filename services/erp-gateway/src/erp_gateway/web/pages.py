"""Asking for one page of a list: the two parameters that every such endpoint takes."""

from typing import Final

from servicekit.endpoint import QueryParam

DEFAULT_PAGE_SIZE: Final = 50
MAX_PAGE_SIZE: Final = 200
MAX_PAGE: Final = 1_000_000


def page_params(things: str) -> tuple[QueryParam, QueryParam]:
    """Return `page` and `pageSize` as the API's description tells them; `things` names what is listed."""
    return (
        QueryParam(
            "page",
            "Page, from 1.",
            example=1,
            schema={"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": 1},
        ),
        QueryParam(
            "pageSize",
            f"{things} per page.",
            example=DEFAULT_PAGE_SIZE,
            schema={
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_PAGE_SIZE,
                "default": DEFAULT_PAGE_SIZE,
            },
        ),
    )
