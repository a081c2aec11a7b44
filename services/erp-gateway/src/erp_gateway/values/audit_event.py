"""Audit events. Their types have no place for a business value or a secret."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from http import HTTPMethod
from typing import Final, Self, TypeAlias

from attrs import field, frozen, validators

MAX_FIELDS: Final = 200
"""Limit of recorded field names; further ones are only counted."""

MAX_NAMES_BYTES: Final = 4096
"""Limit of all names of one record, in bytes as the store and the log write them; the rest is counted.

Clients choose these names. Without a total limit, 200 names of 200 characters would take 40 kB.
"""

_MAX_NAME_CHARS: Final = 200
_MAX_KEY_CHARS: Final = 300
_WRITE_ID: Final = re.compile(r"[0-9A-Z]{26}")
_REASON: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


def _clip(text: str, max_chars: int) -> str:
    """Cut to length and replace lone surrogates (from JSON escapes), which have no UTF-8 form."""
    return text[:max_chars].encode("utf-8", "replace").decode("utf-8")


def _clip_name(text: str | None) -> str | None:
    return None if text is None else _clip(text, _MAX_NAME_CHARS)


def _clip_key(text: str | None) -> str | None:
    return None if text is None else _clip(text, _MAX_KEY_CHARS)


def name_bytes(name: str) -> int:
    """Return the size of a name in a JSON list, with its separator."""
    return len(json.dumps(name, ensure_ascii=False).encode()) + 2


def take_names(names: Iterable[str], max_bytes: int = MAX_NAMES_BYTES) -> tuple[str, ...]:
    """Return the names from the first on that fit into `max_bytes` together."""
    fitting: list[str] = []
    for name in names:
        max_bytes -= name_bytes(name)
        if max_bytes < 0:
            break
        fitting.append(name)
    return tuple(fitting)


@frozen
class SentFields:
    """Names of the fields in a request; made by `SentFields.of`.

    Attributes:
        names: the first ones, as paths (`DocumentLines[].ItemCode`), each cut to length: at most 200, and
            4 KB together.
        omitted: number of the others.
    """

    names: tuple[str, ...] = ()
    omitted: int = 0

    @classmethod
    def of(cls, names: Iterable[str], *, omitted: int = 0) -> Self:
        """Take names in order of importance; `omitted` counts names that were left out before."""
        sent = tuple(names)
        names_that_fit = take_names(_clip(name, _MAX_NAME_CHARS) for name in sent[:MAX_FIELDS])
        return cls(names_that_fit, omitted + len(sent) - len(names_that_fit))

    def after(self, name: str) -> Self:
        """Return these names with one more in front."""
        return self.of((name, *self.names), omitted=self.omitted)


def _as_sent(names: Iterable[str] | SentFields) -> SentFields:
    return names if isinstance(names, SentFields) else SentFields.of(names)


class AuditAction(StrEnum):
    """All recorded actions; docs/audit.md describes each."""

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
"""Actions of the ledger's writes."""


ADMINISTRATIVE: Final = frozenset(
    {
        AuditAction.SESSION_ENDED,
        AuditAction.LOGIN_BLOCK_LIFTED,
        AuditAction.WRITE_SETTLED,
        AuditAction.PERMISSIONS_REPLACE,
        AuditAction.PERMISSIONS_REMOVE,
        AuditAction.REPORT_REGISTER,
        AuditAction.REPORT_UNREGISTER,
    }
)
"""Actions of administrators and operators: after each, the log gets the head of the chain."""


class AuditResult(StrEnum):
    """Result of an action."""

    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    UNKNOWN = "unknown"


class AuditFormat(StrEnum):
    """Formats of exported reports and query results."""

    HTML = "html"
    PDF = "pdf"
    CSV = "csv"
    XLSX = "xlsx"


@frozen(kw_only=True)
class Actor:
    """User and client of an action; `web_user` is None without a session."""

    web_user: str | None = field(converter=_clip_name)
    ip: str | None = field(default=None, converter=_clip_name)
    request_id: str | None = field(default=None, converter=_clip_name)


DetailValue: TypeAlias = int | bool | str | list[int] | list[str]


@frozen
class RouteChanges:
    """Routes that a change of permissions added and removed; made by `RouteChanges.between`.

    Routes are names of the installation's own menu, not business values.

    Attributes:
        added: the first ones in the given order, `*` before all others.
        removed: likewise; both together are at most 4 KB.
        added_omitted: number of the other added ones.
        removed_omitted: number of the other removed ones.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    added_omitted: int = 0
    removed_omitted: int = 0

    @classmethod
    def between(cls, before: Sequence[str], after: Sequence[str]) -> Self:
        """Compare two lists of routes. Each list may use the space that the other one leaves."""
        added = sorted(set(after).difference(before), key=_total_first(after))
        removed = sorted(set(before).difference(after), key=_total_first(before))
        half = MAX_NAMES_BYTES // 2
        removed_bytes = sum(map(name_bytes, removed))
        added_names = take_names(added, MAX_NAMES_BYTES - min(removed_bytes, half))
        removed_names = take_names(removed, MAX_NAMES_BYTES - sum(map(name_bytes, added_names)))
        return cls(
            added_names,
            removed_names,
            len(added) - len(added_names),
            len(removed) - len(removed_names),
        )

    def as_json(self) -> dict[str, DetailValue]:
        """Return the members of the stored `detail`, without the empty ones."""
        members: dict[str, DetailValue] = {
            "added": list(self.added),
            "removed": list(self.removed),
            "addedOmitted": self.added_omitted,
            "removedOmitted": self.removed_omitted,
        }
        return {name: value for name, value in members.items() if value}


def _total_first(order: Sequence[str]) -> Callable[[str], tuple[bool, int]]:
    """Return a sort key that puts `*` first, because the most important pattern must not be omitted."""
    places = {route: place for place, route in enumerate(order)}
    return lambda route: (route != "*", places[route])


@frozen(kw_only=True)
class AuditDetail:
    """Counts, booleans, fixed words, our own names and identifiers. Its types allow nothing else.

    Attributes:
        method: of a denied request.
        references: registered resources that a denied write refers to without the right to read them.
        routes: routes that a change of permissions added and removed.
        change_set: the change set of a write.
        position: place of the write in its change set, from 0.
    """

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
    method: HTTPMethod | None = field(
        default=None, validator=validators.optional(validators.instance_of(HTTPMethod))
    )
    references: tuple[str, ...] = field(default=(), converter=take_names)
    routes: RouteChanges = RouteChanges()
    change_set: str | None = field(
        default=None, validator=validators.optional(validators.matches_re(_WRITE_ID, func=re.fullmatch))
    )
    position: int | None = field(default=None, validator=validators.optional(validators.instance_of(int)))

    def as_json(self) -> dict[str, DetailValue]:
        """Return the members that have a value, by their stored names."""
        members: dict[str, DetailValue | None] = {
            "rows": self.rows,
            "truncated": self.truncated,
            "format": None if self.format is None else self.format.value,
            "attempts": self.attempts,
            "write": self.write,
            "sizes": list(self.sizes),
            "method": None if self.method is None else self.method.value,
            "references": list(self.references),
            **self.routes.as_json(),
            "changeSet": self.change_set,
            "position": self.position,
        }
        return {name: value for name, value in members.items() if value not in (None, [])}


@frozen(kw_only=True)
class AuditEvent:
    """One audit event. Long texts are cut, so that hostile input can always be recorded.

    Attributes:
        action: the action.
        result: its result.
        actor: user, address and request.
        resource: registered resource, action name, menu route or report code.
        key: key of the record as the client wrote it, its parts in declared order.
        fields: names of the fields in the request, including unknown ones.
        detail: counts and fixed words.
        reason: a fixed snake_case word: the `code` of the error, or why a login failed.
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
        """Return the stored `detail`, with the number of omitted field names."""
        omitted: dict[str, DetailValue] = (
            {"fieldsOmitted": self.fields.omitted} if self.fields.omitted else {}
        )
        return {**self.detail.as_json(), **omitted}
