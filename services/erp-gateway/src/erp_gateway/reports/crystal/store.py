"""The tables `gateway_reports` and `gateway_report_screens`."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

import msgspec

from erp_gateway.reports.crystal.registry import RegisteredReport, ReportScreen
from erp_gateway.store.database import Database
from erp_gateway.store.statements import Row, Statements
from erp_gateway.values.parameters.declare import ReportParameter
from servicekit.clock import iso_utc
from servicekit.endpoint import parse_json
from servicekit.endpoint.shapes import structure, unstructure

_SELECT: Final = (
    "SELECT report.code, title, category, enabled, parameters, screen, is_default "
    "FROM gateway_reports AS report LEFT JOIN gateway_report_screens AS tied ON tied.code = report.code"
)
_ORDER: Final = " ORDER BY report.code, position"
_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


class ReportStore:
    """Stores the registered reports.

    Args:
        database: the store.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> tuple[RegisteredReport, ...]:
        """Return every report, by code.

        Raises:
            StoreUnavailable: the store refused.
        """
        return _reports(await self._database.read(_SELECT + _ORDER))

    async def find(self, code: str) -> RegisteredReport | None:
        """Return one report, or None.

        Raises:
            StoreUnavailable: the store refused.
        """
        row = _reports(await self._database.read(f"{_SELECT} WHERE report.code = ?{_ORDER}", (code,)))
        return row[0] if row else None

    async def save(self, report: RegisteredReport, *, at: datetime, by: str) -> None:
        """Store a report and replace an earlier one. Its default screens are taken from other reports.

        Args:
            report: the report.
            at: aware time of the change.
            by: the web user who made it.

        Raises:
            StoreUnavailable: nothing was changed.
        """

        def work(connection: Statements) -> None:
            # Version 0.1.0 marks reports in `missing`. A registration resets it to its default, as there.
            connection.execute(
                "INSERT INTO gateway_reports "
                "(code, title, category, enabled, parameters, updated_at, updated_by) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (code) DO UPDATE SET title = excluded.title, "
                "category = excluded.category, enabled = excluded.enabled, "
                "parameters = excluded.parameters, missing = excluded.missing, "
                "updated_at = excluded.updated_at, updated_by = excluded.updated_by",
                (
                    report.code,
                    report.title,
                    report.category,
                    int(report.enabled),
                    _ENCODER.encode([unstructure(parameter) for parameter in report.parameters]).decode(),
                    iso_utc(at),
                    by,
                ),
            )
            connection.execute("DELETE FROM gateway_report_screens WHERE code = ?", (report.code,))
            for position, tied in enumerate(report.documents):
                if tied.default:
                    connection.execute(
                        "UPDATE gateway_report_screens SET is_default = 0 WHERE screen = ?", (tied.screen,)
                    )
                connection.execute(
                    "INSERT INTO gateway_report_screens (code, position, screen, is_default) "
                    "VALUES (?, ?, ?, ?)",
                    (report.code, position, tied.screen, int(tied.default)),
                )

        await self._database.write(work)

    async def remove(self, code: str) -> bool:
        """Delete a report; return whether it existed.

        Raises:
            StoreUnavailable: nothing was changed.
        """

        def work(connection: Statements) -> bool:
            connection.execute("DELETE FROM gateway_report_screens WHERE code = ?", (code,))
            removed = connection.execute("DELETE FROM gateway_reports WHERE code = ?", (code,))
            return removed.rowcount > 0

        return await self._database.write(work)


def _reports(rows: Iterable[Row]) -> tuple[RegisteredReport, ...]:
    heads: dict[str, Row] = {}
    screens: dict[str, list[ReportScreen]] = {}
    for row in rows:
        heads[row["code"]] = row
        tied = screens.setdefault(row["code"], [])
        if row["screen"] is not None:
            tied.append(ReportScreen(screen=row["screen"], default=bool(row["is_default"])))
    return tuple(
        RegisteredReport(
            code=code,
            title=row["title"],
            category=row["category"],
            enabled=bool(row["enabled"]),
            documents=tuple(screens[code]),
            parameters=_parameters(row),
        )
        for code, row in heads.items()
    )


def _parameters(row: Row) -> tuple[ReportParameter, ...]:
    return tuple(structure(each, ReportParameter) for each in parse_json(row["parameters"].encode()))
