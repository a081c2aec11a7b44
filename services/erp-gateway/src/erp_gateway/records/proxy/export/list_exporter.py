"""Exports of whole lists: read page by page, written into a file."""

import asyncio
from typing import Final

import attrs
import structlog
from attrs import define, frozen

from erp_gateway.files.exports.currencies import Currencies
from erp_gateway.files.exports.export_job import ExportJob
from erp_gateway.files.exports.exporter import Exporter
from erp_gateway.files.exports.open_export import OpenExport
from erp_gateway.files.exports.options import ExportFormat, ExportOptions
from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.records.proxy.export.pages import ExportPages
from erp_gateway.records.proxy.plans import ExportPlan
from erp_gateway.values.audit_event import Actor
from erp_gateway.web.disconnects import Check
from erp_gateway.web.error_map import CallKind, upstream_service_error
from erpclient import Caller, ErpClient, ErpError, InternalLane, Reserve

EXPORT_LANE: Final = InternalLane("erp_gateway:exports")
"""The queue's lane that all exports share: any other read waits for one page of them at most."""

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class ListExporter:
    """Exports lists.

    Args:
        client: the ERP.
        exporter: makes files.
        currencies: decimals of amounts in a CSV.
    """

    _client: ErpClient
    _exporter: Exporter
    _currencies: Currencies

    @property
    def max_rows(self) -> int:
        """Rows that an export may have."""
        return self._exporter.max_rows

    async def open(
        self, plan: ExportPlan, options: ExportOptions, caller: Caller, actor: Actor, check: Check
    ) -> OpenExport:
        """Begin the export of a list.

        Args:
            plan: the list.
            options: the kind of file.
            caller: the caller.
            actor: the user, for the file's last sheet and the exporter's queue.
            check: raises once the user may no longer read the list.

        Raises:
            ExportTooLarge: the list has more rows than an export may have.
            ExportChanged: records came or went meanwhile.
            ServiceError: as of any list, and as `Exporter.open`.
        """
        reader = attrs.evolve(caller, user=EXPORT_LANE, disconnected=None, reserve=Reserve.NONE)
        export = _ListExport(self._client, self._currencies, plan, options, reader, check, self.max_rows)
        job = ExportJob(
            kind="list",
            user=actor.web_user or "",
            title=plan.title,
            facts=plan.facts,
            options=options,
            gone=caller.disconnected or asyncio.Event().wait,
            check=check,
            on_end=export.log_end,
        )
        return await self._exporter.open(job, export.write_rows)


@frozen(eq=False)
class _ListExport:
    client: ErpClient
    currencies: Currencies
    plan: ExportPlan
    options: ExportOptions
    reader: Caller
    check: Check
    max_rows: int

    async def write_rows(self, sink: TableSink) -> None:
        pages = ExportPages(self.plan, self.max_rows)
        try:
            await self._read_currencies(pages)
            while (query := pages.next_query()) is not None:
                self.check()
                page = await self.client.list(
                    self.plan.target.resource.name,
                    query,
                    caller=self.reader,
                    hidden=self.plan.target.hidden,
                )
                rows = await asyncio.to_thread(pages.take, page)
                if not sink.rows:
                    sink.begin(pages.headings)
                await asyncio.to_thread(sink.add, rows)
        except ErpError as error:
            raise upstream_service_error(error, CallKind.READ) from error

    async def _read_currencies(self, pages: ExportPages) -> None:
        if not pages.may_have_amounts:
            return
        decimals = await self.currencies.decimals()
        pages.local_code = decimals.local_code
        if self.options.format is ExportFormat.CSV:  # the cells of an XLSX hold numbers, not digits
            pages.decimals = decimals

    async def log_end(self, rows: int, reason: str | None) -> None:
        _log.info(
            "list_exported",
            resource=self.plan.target.resource.name,
            format=self.options.format.value,
            rows=rows,
            calls=self.reader.trace.calls,
            result=reason or "ok",
        )
