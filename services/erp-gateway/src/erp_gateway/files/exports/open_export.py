"""An export in transit to the client."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from attrs import define, field

from erp_gateway.files.exports.options import ExportOptions
from erp_gateway.files.exports.pace import PaceRules
from erp_gateway.web.disconnects import Check


@define(eq=False, repr=False)
class OpenExport:
    """An export that can be sent, finished or still growing. Use it as an async context manager.

    Attributes:
        options: the kind of file.
        name: name of the file without its extension.
        pace: minimum speed of the client.
        check: raises once the user may no longer have the file.
        chunks: yields its bytes.
        size: in bytes; None while it grows.
    """

    _stack: AsyncExitStack
    options: ExportOptions
    name: str
    pace: PaceRules = field(kw_only=True)
    check: Check = field(kw_only=True)
    chunks: Callable[[], AsyncIterator[bytes]] = field(kw_only=True)
    size: int | None = field(kw_only=True)

    async def aclose(self) -> None:
        """Close its files, and free the place of an export that is still being made."""
        await self._stack.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)
