"""`attachments bind`: link stored files to a record after the second call of an upload was lost."""

import argparse
import asyncio
from contextlib import AsyncExitStack
from typing import Final

import msgspec
from attrs import evolve, frozen

from erp_gateway.audit.recorder import open_recorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.commands.context import CommandContext, CommandRefusedError, open_store
from erp_gateway.components import erp_credentials, erp_settings
from erp_gateway.extensions import ExtensionError, load_extensions
from erp_gateway.records.proxy.declarations.resource import Resource
from erp_gateway.settings.root import Settings
from erp_gateway.store.errors import StoreNotUsable, StoreUnavailable
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erp_gateway.values.user_names import SystemName
from erpclient import ATTACHMENTS, Caller, ErpClient, ErpError, ErpRefused, InternalLane, Outcome
from erpclient.metadata import read_metadata
from erpclient.odata import InvalidKey, ListQuery, RecordQuery

_ENTRY: Final = "AttachmentEntry"
_CALLER: Final = Caller(InternalLane("erp_gateway:bind"))
_NOT_FOUND: Final = 404


@frozen(kw_only=True)
class Binding:
    """A record and the attachment entry that it should refer to."""

    resource: Resource
    key: str
    predicate: str
    entry: int


def bind(parsed: argparse.Namespace, settings: Settings, context: CommandContext) -> int:
    """Link files to a record.

    Returns:
        the exit code: 0 done, 1 rejected or failed.
    """
    try:
        asyncio.run(_bind(_read_binding(parsed, settings), settings, context))
    except (CommandRefusedError, ExtensionError, StoreNotUsable) as error:
        print(f"error: {error}", file=context.err)
    except StoreUnavailable as error:
        print(f"error: the store cannot be used now: {error.__cause__}", file=context.err)
    except ErpError as error:
        effect = "may have changed the record" if error.outcome is Outcome.UNKNOWN else "changed nothing"
        print(f"error: the ERP {effect}: {error}", file=context.err)
    else:
        print(f"{parsed.resource}\t{parsed.key}\tbound to {parsed.entry}", file=context.out)
        return 0
    return 1


def _read_binding(parsed: argparse.Namespace, settings: Settings) -> Binding:
    registries = load_extensions(settings.web.extensions, engine=settings.database_engine)
    target = registries.resources.find(parsed.resource)
    if target is None or not target.resource.attachments:
        raise CommandRefusedError(f"{parsed.resource} is no registered resource with attachments")
    try:
        predicate = target.resource.key.predicate(parsed.key)
    except InvalidKey:
        raise CommandRefusedError(f"{parsed.resource} has no such key: {parsed.key}") from None
    return Binding(resource=target.resource, key=parsed.key, predicate=predicate, entry=parsed.entry)


async def _bind(binding: Binding, settings: Settings, context: CommandContext) -> None:
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        database = await enter(open_store(context.store, may_create=False))
        recorder = await enter(open_recorder(AuditStore(database), context.clock))
        client = await enter(ErpClient(erp_settings(settings), erp_credentials(settings.erp)))
        etag = await _check_record(client, binding)
        await _check_files(client, binding)
        event = AuditEvent(
            action=AuditAction.SL_ATTACH,
            result=AuditResult.OK,
            actor=Actor(web_user=SystemName.CLI),
            resource=binding.resource.name,
            key=binding.key,
            fields=(_ENTRY,),
        )
        try:
            body = msgspec.json.encode({_ENTRY: binding.entry})
            await client.modify(binding.resource.name, binding.predicate, body, caller=_CALLER, if_match=etag)
        except ErpError as error:
            is_unknown = error.outcome is Outcome.UNKNOWN
            result = AuditResult.UNKNOWN if is_unknown else AuditResult.ERROR
            await recorder.record(evolve(event, result=result))
            raise
        await recorder.record(event)


async def _check_record(client: ErpClient, binding: Binding) -> str | None:
    """Reject a record that already has an attachment entry; return its entity tag."""
    record = await client.get(
        binding.resource.name,
        binding.predicate,
        RecordQuery(select=(_ENTRY,)),
        caller=_CALLER,
        tagged=binding.resource.tagged,
    )
    existing = msgspec.json.decode(record.body).get(_ENTRY)
    if existing is not None:
        raise CommandRefusedError(f"{binding.resource.name} {binding.key} has the files of entry {existing}")
    return record.etag


async def _check_files(client: ErpClient, binding: Binding) -> None:
    """Reject an attachment entry that does not exist, or that another record of any resource uses."""
    try:
        await client.get(ATTACHMENTS, f"({binding.entry})", RecordQuery(), caller=_CALLER)
    except ErpRefused as error:
        if error.status != _NOT_FOUND:
            raise
        raise CommandRefusedError(f"the ERP has no files with the entry {binding.entry}") from error
    metadata = read_metadata(await client.read_metadata(caller=_CALLER))
    owners = {name: each.key for name, each in metadata.sets.items() if _ENTRY in each.properties}
    if binding.resource.name not in owners:
        raise CommandRefusedError(f"{binding.resource.name} has no {_ENTRY} in this ERP")
    for name, key in owners.items():
        query = ListQuery(select=key, filter=f"{_ENTRY} eq {binding.entry}", top=1)
        if (await client.list(name, query, caller=_CALLER)).count:
            raise CommandRefusedError(f"a record of {name} has the files of entry {binding.entry}")
