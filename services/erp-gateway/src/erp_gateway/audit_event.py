"""What an audit record may hold. There is no place in it for a value of a business field or a secret."""

import asyncio
import re
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Any, Final, Protocol, Self, TypeAlias

from attrs import asdict, evolve, field, frozen, validators

from servicekit.errors import as_service_error

MAX_FIELDS: Final = 200
"""More field names than this are not recorded, only counted."""

_MAX_NAME_CHARS: Final = 200
_MAX_KEY_CHARS: Final = 300
_WRITE_ID: Final = re.compile(r"[0-9A-Z]{26}")
_REASON: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


def _clip(text: str, max_chars: int) -> str:
    """Cut to length and make it storable: a lone surrogate from a JSON escape has no UTF-8 form."""
    return text[:max_chars].encode("utf-8", "replace").decode("utf-8")


def _clip_name(text: str | None) -> str | None:
    return None if text is None else _clip(text, _MAX_NAME_CHARS)


def _clip_key(text: str | None) -> str | None:
    return None if text is None else _clip(text, _MAX_KEY_CHARS)


@frozen
class SentFields:
    """Names of the fields that a request sent; made by `SentFields.of`.

    Attributes:
        names: the first 200, as paths (`DocumentLines[].ItemCode`), each cut to length.
        omitted: how many more there were.
    """

    names: tuple[str, ...] = ()
    omitted: int = 0

    @classmethod
    def of(cls, names: Iterable[str], *, omitted: int = 0) -> Self:
        """Take names in the order of their weight, and how many others were left out before."""
        sent = tuple(names)
        kept = tuple(_clip(name, _MAX_NAME_CHARS) for name in sent[:MAX_FIELDS])
        return cls(kept, omitted + len(sent) - len(kept))

    def after(self, name: str) -> Self:
        """Return them with one more name before them."""
        return self.of((name, *self.names), omitted=self.omitted)


def _as_sent(names: Iterable[str] | SentFields) -> SentFields:
    return names if isinstance(names, SentFields) else SentFields.of(names)


class AuditAction(StrEnum):
    """Everything that is recorded; each is described in docs/audit.md."""

    LOGIN = "login"
    LOGIN_FAILED = "login_failed"
    LOGOUT = "logout"
    SESSION_ENDED = "session_ended"
    LOGIN_BLOCK_LIFTED = "login_block_lifted"
    SL_CREATE = "sl_create"
    SL_UPDATE = "sl_update"
    SL_ACTION = "sl_action"
    SL_ATTACH = "sl_attach"
    WRITE_SETTLED = "write_settled"
    PERMISSION_DENIED = "permission_denied"
    PERMISSIONS_REPLACE = "permissions_replace"
    PERMISSIONS_REMOVE = "permissions_remove"
    REPORT_REGISTER = "report_register"
    REPORT_UNREGISTER = "report_unregister"
    REPORT_EXPORT = "report_export"
    DB_QUERY = "db_query"
    HTML_REPORT = "html_report"


WRITES: Final = frozenset(
    {AuditAction.SL_CREATE, AuditAction.SL_UPDATE, AuditAction.SL_ACTION, AuditAction.SL_ATTACH}
)
"""What the ledger's writes are recorded as."""


class AuditResult(StrEnum):
    """How it ended."""

    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    UNKNOWN = "unknown"


class AuditFormat(StrEnum):
    """The forms in which a report or a query's rows leave."""

    HTML = "html"
    PDF = "pdf"
    CSV = "csv"
    XLSX = "xlsx"


@frozen(kw_only=True)
class Actor:
    """Who asked: `web_user` is None when nobody is signed in."""

    web_user: str | None = field(converter=_clip_name)
    ip: str | None = field(default=None, converter=_clip_name)
    request_id: str | None = field(default=None, converter=_clip_name)


DetailValue: TypeAlias = int | bool | str | list[int]


@frozen(kw_only=True)
class AuditDetail:
    """Counts, booleans, words of fixed lists and the ledger's own identifiers; nothing else fits."""

    rows: int | None = field(default=None, validator=validators.optional(validators.instance_of(int)))
    truncated: bool | None = field(default=None, validator=validators.optional(validators.instance_of(bool)))
    format: AuditFormat | None = field(
        default=None, validator=validators.optional(validators.instance_of(AuditFormat))
    )
    attempts: int | None = field(default=None, validator=validators.optional(validators.instance_of(int)))
    write: str | None = field(
        default=None, validator=validators.optional(validators.matches_re(_WRITE_ID, func=re.fullmatch))
    )
    sizes: tuple[int, ...] = field(
        default=(), validator=validators.deep_iterable(validators.instance_of(int))
    )

    def as_json(self) -> dict[str, DetailValue]:
        """Return what is known, by its stored name."""
        format_ = None if self.format is None else self.format.value
        known = {**asdict(self), "format": format_, "sizes": list(self.sizes)}
        return {name: value for name, value in known.items() if value not in (None, [])}


@frozen(kw_only=True)
class AuditEvent:
    """One record. Texts that are too long are cut, so that hostile input can always be recorded.

    Attributes:
        action: what was done.
        result: how it ended.
        actor: who asked, from where, in which request.
        resource: registered resource, action name, menu route or report code.
        key: key of the record as the client wrote it, its parts in declared order.
        fields: names of the fields that were sent; any names are taken.
        detail: counts and fixed words.
        reason: a fixed snake_case word: the `code` of the refusal, or why a login failed.
    """

    action: AuditAction
    result: AuditResult
    actor: Actor
    resource: str | None = field(default=None, converter=_clip_name)
    key: str | None = field(default=None, converter=_clip_key)
    fields: SentFields = field(default=SentFields(), converter=_as_sent)
    detail: AuditDetail = field(factory=AuditDetail)
    reason: str | None = field(
        default=None, validator=validators.optional(validators.matches_re(_REASON, func=re.fullmatch))
    )

    def detail_json(self) -> dict[str, DetailValue]:
        """Return the stored `detail`: what is known, and how many field names were left out."""
        omitted: dict[str, DetailValue] = (
            {"fieldsOmitted": self.fields.omitted} if self.fields.omitted else {}
        )
        return {**self.detail.as_json(), **omitted}


class Recorder(Protocol):
    """Where events are recorded; `audit.recorder.AuditRecorder` does it and never raises."""

    def record(self, event: AuditEvent) -> Coroutine[Any, Any, object]:
        """Commit the event before returning."""
        ...


@asynccontextmanager
async def failure_recorded(recorder: Recorder, event: AuditEvent) -> AsyncIterator[None]:
    """Record what kept the block from its end: the code of its error, or that it was interrupted."""
    try:
        yield
    except Exception as error:
        reason = as_service_error(error).code
        await recorder.record(evolve(event, result=AuditResult.ERROR, reason=reason))
        raise
    except asyncio.CancelledError:  # a job that was given up, or the service stops
        await recorder.record(evolve(event, result=AuditResult.ERROR, reason="interrupted"))
        raise
