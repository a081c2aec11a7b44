"""The description of one export."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from attrs import frozen

from erp_gateway.files.exports.options import ExportOptions
from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.web.disconnects import Check, Disconnected

Produce: TypeAlias = Callable[[TableSink], Coroutine[Any, Any, None]]
"""Writes all rows into the sink, in any thread. Its error ends the export."""


@frozen(kw_only=True)
class ExportJob:
    """One export.

    Attributes:
        kind: `query`, `list` or `report`, for the metrics.
        user: the user; users take turns.
        title: name of the file, and a line of an XLSX's last sheet.
        facts: further names and values of the last sheet.
        options: the kind of file.
        gone: returns when the client has disconnected.
        check: raises once the user may no longer have the file; the export then ends with this error.
        on_end: called once, before the last byte is sent, with the number of rows and the error code, if any.
    """

    kind: str
    user: str
    title: str
    facts: tuple[tuple[str, object], ...] = ()
    options: ExportOptions
    gone: Disconnected
    check: Check
    on_end: Callable[[int, str | None], Coroutine[Any, Any, None]]
