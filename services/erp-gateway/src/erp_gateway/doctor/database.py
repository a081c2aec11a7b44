"""The ERP's database as the doctor's checks see it."""

from collections.abc import Mapping
from pathlib import Path

from erp_gateway.queries.engines.hana import connect_options, load_driver
from erp_gateway.queries.engines.hana_errors import refusal_of
from erp_gateway.queries.errors import DatabaseLoginFailed, DatabaseTimeout, DatabaseUnreachable
from erp_gateway.queries.sql.statement import Statement
from erp_gateway.settings.erp_database import ErpDatabase
from erpdoctor.checks import STEP_LIMIT_S
from erpdoctor.database import DatabaseTarget, DatabaseTrouble, FileSession, HanaSession, Session
from erpdoctor.network.reaching import Address


def database_target(
    settings: ErpDatabase, statements: Mapping[str, Statement], shared_ca_checks: tuple[str, ...] = ()
) -> DatabaseTarget:
    """Describe the configured database to the checks.

    Args:
        settings: of the database.
        statements: text of every registered query for the configured engine, by its name.
        shared_ca_checks: earlier checks that use the same CA file, suspects if this one fails.
    """
    is_file = settings.engine == "sqlite"
    return DatabaseTarget(
        engine=settings.engine,
        address=None if is_file else Address(settings.server or "", settings.port, tls=False),
        file=Path(settings.database or ""),
        named=str(settings.database) if is_file else f"usuario {settings.user}",
        schema=settings.schema or "",
        encrypted=settings.encrypt,
        authorities=settings.ca_file,
        open_session=lambda: _open_session(settings),
        trouble_of=_trouble_of,
        queries={name: (each.sql, len(each.parameters)) for name, each in statements.items()},
        shared_ca_checks=shared_ca_checks,
    )


def _open_session(settings: ErpDatabase) -> Session | None:
    if settings.engine == "sqlite":
        return FileSession(Path(settings.database or ""))
    driver = load_driver()
    if driver is None:
        return None
    return HanaSession(
        lambda: driver.connect(**connect_options(settings, STEP_LIMIT_S)), driver.Error, settings.schema or ""
    )


def _trouble_of(number: int, text: str) -> DatabaseTrouble:
    match refusal_of(number, text):
        case DatabaseLoginFailed():
            return DatabaseTrouble.LOGIN
        case DatabaseUnreachable() | DatabaseTimeout():
            return DatabaseTrouble.SILENT
        case _:
            return DatabaseTrouble.OTHER
