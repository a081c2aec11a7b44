"""Bodies, answers and parameters of `/api/writes`."""

from typing import Final, Literal

from attrs import frozen

from erp_gateway.audit.query import MAX_TEXT_CHARS
from erp_gateway.web.requests import page_params
from erp_gateway.writes.items import WriteItem
from erp_gateway.writes.rules import WriteState
from servicekit.endpoint import Answer, Body, PathParam, QueryParam

MAX_SETTLE_BYTES: Final = 4096


@frozen(kw_only=True)
class WritesAnswer:
    """One page of writes, newest first."""

    items: tuple[WriteItem, ...]
    page: int
    page_size: int
    total: int


@frozen(kw_only=True)
class SettleBody:
    """What became of an unknown write, and the key of the record that it created."""

    result: Literal["done", "not_done"]
    key: str | None = None


_TEXT: Final = {"type": "string", "maxLength": MAX_TEXT_CHARS}
LIST_QUERY: Final = (
    QueryParam(
        "resultado",
        "The write.",
        example="unknown",
        schema={"type": "string", "enum": [state.value for state in WriteState]},
    ),
    QueryParam("recurso", "Resource, exactly.", example="Orders", schema=_TEXT),
    QueryParam("usuario", "Web user, exactly; for administrators.", example="ana", schema=_TEXT),
    *page_params("Writes"),
)
WRITE_ID: Final = {"id": PathParam("Number of the write.", example="01JNB0K6T4W5C8Q2V7M3R9XZAE")}
ONE_WRITE: Final = Answer("The write.", Body(WriteItem))
