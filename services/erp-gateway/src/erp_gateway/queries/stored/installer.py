"""Saves declared queries in the ERP."""

import msgspec

from erp_gateway.queries.stored.installed import SQL_QUERIES, InstalledQuery, QueryState
from erpclient import Caller, ErpClient, InternalLane
from erpclient.odata import StrKey

_KEY = StrKey("SqlCode")
_CALLER = Caller(InternalLane("erp_gateway:queries"))


async def install(client: ErpClient, installed: InstalledQuery) -> None:
    """Create a missing query, or replace an older one; leave any other alone.

    Raises:
        ErpError: the ERP refused it, or its answer was lost. Codes 701 to 703 mean that its analyser refuses
            the syntax, a table or a column (SAP manual 1.29, query errors).
    """
    query = installed.query
    content = {"SqlName": query.installed_name, "SqlText": query.sql}
    match installed.state:
        case QueryState.MISSING:
            body = msgspec.json.encode({"SqlCode": query.code, **content})
            await client.create(SQL_QUERIES, body, caller=_CALLER)
        case QueryState.OLDER:
            body = msgspec.json.encode(content)
            await client.modify(SQL_QUERIES, _KEY.predicate(query.code), body, caller=_CALLER)
        case QueryState.CURRENT | QueryState.NEWER:
            return
