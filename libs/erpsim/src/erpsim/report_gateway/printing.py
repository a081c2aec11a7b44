"""Execution of exports: reads parameters, checks concurrency and prints."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime

from erpsim.business.layout_catalogue import BY_CODE
from erpsim.business.layouts import Category, Paper
from erpsim.company.clock import Clock
from erpsim.report_gateway import replies
from erpsim.report_gateway.pages import Page, page_of
from erpsim.report_gateway.parameter_values import UnprintableError, read_values
from erpsim.service_layer.wire.messages import SlReply
from erpsim.world import World


class Printer:
    """Prints layouts with limited concurrency.

    Args:
        world: the company.
        clock: for the date in the PDF.
        log: gets a line for each export that fails.
    """

    def __init__(self, world: World, clock: Clock, log: list[str]) -> None:
        self._world = world
        self._clock = clock
        self._log = log
        self._printing = 0
        self._crowded = 0

    async def export(self, code: str, body: bytes) -> SlReply:
        """Execute `ExportPDFData`.

        Args:
            code: `DocCode`.
            body: the array of parameters.
        """
        self._printing += 1
        collides = self._collides()
        try:
            await asyncio.sleep(self._world.switches.report_export_s)
            if collides:
                return self._failed(code, "collided with other exports")
            return await self._print(code, body)
        except UnprintableError as error:
            return self._failed(code, str(error))
        finally:
            self._printing -= 1

    def _failed(self, code: str, reason: str) -> SlReply:
        self._log.append(f"{code}: {reason}")
        return replies.nothing_printed()

    def _collides(self) -> bool:
        """Return whether this export fails because of concurrent ones: of five at once one or more fail, of
        three none (two measured rounds of a client's author); of four, every other time one (assumed).
        """
        limit = self._world.switches.report_parallel
        if self._printing == limit:
            self._crowded += 1
        return self._printing > limit or (self._printing == limit and self._crowded % 2 == 1)

    async def _print(self, code: str, body: bytes) -> SlReply:
        layout = BY_CODE.get(code)
        if layout is None:
            raise UnprintableError("no such layout")
        if layout.category is not Category.CRYSTAL:
            return replies.failure_text(f"There is no default Crystal Report layout related to {code}")
        if not layout.active:
            raise UnprintableError("the layout is not active")  # assumed: only its RDOC row is known
        try:
            array = json.loads(body)
        except (ValueError, RecursionError):
            return replies.bad_request()
        values = read_values(layout, array, schema=self._world.switches.company)
        page = page_of(self._world, layout, values)
        pdf = await asyncio.to_thread(_draw, layout.paper, page, self._clock.now())
        return replies.printed(code, pdf, self._world.switches.report_base64)


def _draw(paper: Paper, page: Page | None, now: datetime) -> bytes:
    # Imported lazily: loading the library takes most of a second.
    from erpsim.report_gateway.pdf import draw, draw_blank  # noqa: PLC0415

    return draw_blank(paper, now) if page is None else draw(page, now)
