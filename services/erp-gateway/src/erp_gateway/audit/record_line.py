"""Writes the log line of an audit record."""

from collections.abc import Callable
from contextlib import suppress

import structlog

from erp_gateway.audit.head_log import log_head
from erp_gateway.store.audit_chain import ChainEnd
from erp_gateway.values.audit_event import ADMINISTRATIVE, AuditEvent

_log = structlog.get_logger(__name__)


def log_record(event: AuditEvent, end: ChainEnd | None) -> None:
    """Write the line of a record. With its number and chain, a log kept elsewhere proves the record."""
    head = {} if end is None else {"head": end.as_text()}
    write_line(_log.info, "AUDIT", event, **head)


def log_head_after(event: AuditEvent, end: ChainEnd | None) -> None:
    if end is not None and event.action in ADMINISTRATIVE:
        log_head(end)


def write_line(write: Callable[..., object], name: str, event: AuditEvent, **more: str) -> None:
    with suppress(Exception):  # a console that is full or gone must not change the operation either
        write(name, **more, **_as_log(event))


def _as_log(event: AuditEvent) -> dict[str, object]:
    facts: dict[str, object] = {
        "action": event.action.value,
        "result": event.result.value,
        "user": event.actor.web_user,
        "ip": event.actor.ip,
        "request_id": event.actor.request_id,
        "resource": event.resource,
        "key": event.key,
        "fields": list(event.fields.names) or None,
        "detail": event.detail_json() or None,
        "reason": event.reason,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}
