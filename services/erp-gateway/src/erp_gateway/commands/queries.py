"""`queries list|install`: compare the declared stored queries with those of the ERP, and save them there."""

import argparse
import asyncio

from erp_gateway.commands.context import CommandContext
from erp_gateway.components import erp_credentials, erp_settings
from erp_gateway.extensions import ExtensionError, load_extensions
from erp_gateway.queries.stored.installed import InstalledQuery, QueryState, read_installed
from erp_gateway.queries.stored.installer import install
from erp_gateway.settings.root import Settings
from erpclient import ErpClient, ErpError, ErpRefused, Outcome

_MODIFY_RIGHT = "Modify SQL Queries in Service Layer"


def run_queries_command(parsed: argparse.Namespace, settings: Settings, context: CommandContext) -> int:
    """List the stored queries, or save those that are missing or older.

    Returns:
        the exit code: 0 all are current, 1 at least one is not, or a failure.
    """
    try:
        return asyncio.run(_run(parsed, settings, context))
    except ExtensionError as error:
        print(f"error: {error}", file=context.err)
    except ErpError as error:
        print(f"error: {_explain(error)}", file=context.err)
    return 1


async def _run(parsed: argparse.Namespace, settings: Settings, context: CommandContext) -> int:
    registries = load_extensions(settings.web.extensions, engine=settings.database_engine)
    queries = registries.stored_queries.queries
    if not queries:
        print("no stored queries are declared", file=context.out)
        return 0
    failures = 0
    async with ErpClient(erp_settings(settings), erp_credentials(settings.erp)) as client:
        for installed in await read_installed(client, queries):
            failures += not await _handle(client, installed, parsed, context)
    return 1 if failures else 0


async def _handle(
    client: ErpClient, installed: InstalledQuery, parsed: argparse.Namespace, context: CommandContext
) -> bool:
    """Print a query's state after installing it where wanted; return True if it is current."""
    query, state = installed.query, installed.state
    outcome = state.value
    if parsed.form == "install" and state in (QueryState.MISSING, QueryState.OLDER):
        try:
            if not parsed.dry_run:
                await install(client, installed)
        except ErpError as error:
            print(f"error: {query.code}: {_explain(error)}", file=context.err)
            return False
        outcome = "would be installed" if parsed.dry_run else "installed"
        state = QueryState.CURRENT
    print(f"{query.name}\t{query.installed_name}\t{outcome}", file=context.out)
    return state is QueryState.CURRENT


def _explain(error: ErpError) -> str:
    if isinstance(error, ErpRefused) and error.status == 403:  # noqa: PLR2004 - an HTTP status
        return f"the ERP user lacks the authorisation {_MODIFY_RIGHT!r}: {error}"
    if error.outcome is Outcome.UNKNOWN:
        return f"the ERP may have saved the query; run `queries list`: {error}"
    return f"the ERP saved nothing: {error}"
