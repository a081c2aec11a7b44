"""What an audit record may hold. There is no place in it for a value of a business field or a secret."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen


class AuditAction(StrEnum):
    """Everything that is recorded; each is described in docs/audit.md."""

    LOGIN = "login"
    LOGIN_FAILED = "login_failed"
    LOGOUT = "logout"
    SL_CREATE = "sl_create"
    SL_UPDATE = "sl_update"
    SL_ACTION = "sl_action"
    PERMISSION_DENIED = "permission_denied"
    PERMISSIONS_REPLACE = "permissions_replace"
    PERMISSIONS_REMOVE = "permissions_remove"
    REPORT_REGISTER = "report_register"
    REPORT_UNREGISTER = "report_unregister"
    REPORT_EXPORT = "report_export"
    DB_QUERY = "db_query"
    HTML_REPORT = "html_report"


class AuditResult(StrEnum):
    """How it ended."""

    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    UNKNOWN = "unknown"


class AuditFormat(StrEnum):
    """The forms in which a report leaves."""

    HTML = "html"
    PDF = "pdf"


@frozen(kw_only=True)
class Actor:
    """Who asked: `web_user` is None when nobody is signed in."""

    web_user: str | None
    ip: str | None = None
    request_id: str | None = None


@frozen(kw_only=True)
class AuditDetail:
    """Counts, booleans and words of fixed lists; nothing else fits."""

    rows: int | None = None
    truncated: bool | None = None
    format: AuditFormat | None = None
    attempts: int | None = None


@frozen(kw_only=True)
class AuditEvent:
    """One record.

    Attributes:
        action: what was done.
        result: how it ended.
        actor: who asked, from where, in which request.
        resource: registered resource, action name, menu route or report code.
        key: key of the record as the client wrote it.
        fields: names of the fields that were sent, as paths (`DocumentLines[].ItemCode`), at most 200.
        detail: counts and fixed words.
        reason: a fixed snake_case word: the `code` of the refusal, or why a login failed.
    """

    action: AuditAction
    result: AuditResult
    actor: Actor
    resource: str | None = None
    key: str | None = None
    fields: tuple[str, ...] = ()
    detail: AuditDetail = AuditDetail()
    reason: str | None = None
