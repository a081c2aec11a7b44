"""Log lines of audit records."""

from collections.abc import Callable
from contextlib import suppress

import structlog

from erp_gateway.audit.head_log import log_head
from erp_gateway.store.chain_hash import ChainPosition
from erp_gateway.values.audit_event import ADMINISTRATIVE, AuditEvent

_log = structlog.get_logger(__name__)


def log_record(event: AuditEvent, position: ChainPosition | None) -> None:
    """Log a record. With its number and hash, a log kept elsewhere proves the record."""
    head = {} if position is None else {"head": position.as_text()}
    write_line(_log.info, "AUDIT", event, **head)


def log_head_after(event: AuditEvent, position: ChainPosition | None) -> None:
    if position is not None and event.action in ADMINISTRATIVE:
        log_head(position)


def write_line(write: Callable[..., object], name: str, event: AuditEvent, **more: str) -> None:
    with suppress(Exception):  # a full disk or closed console must not change the operation
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
