"""The rules of the proxy: from a request to a complete call, or to one refusal. No I/O, no clock, no network.

A call is built from validated parts; nothing of a request is passed on as it came except bodies that were
checked. Rules are asked in this order, and the first that is broken answers: registered, method or action
declared, permitted, headers, query, key.
"""

import re
from collections.abc import Callable
from typing import Final, NoReturn, TypeAlias
from urllib.parse import unquote

import attrs
from attrs import frozen

from erp_gateway.records.proxy.client_headers import ClientHeaders
from erp_gateway.records.proxy.errors import (
    ActionNotRegistered,
    EtagUnsupported,
    HeaderBadValue,
    HeaderNotAllowed,
    ResourceNotRegistered,
)
from erp_gateway.records.proxy.references import References
from erp_gateway.records.proxy.registry import Registered, Registry
from erp_gateway.records.proxy.service_action import ServiceAction
from erp_gateway.values.errors import PermissionDenied
from erpclient.odata import (
    DEFAULT_LIMITS,
    CompositeKey,
    EntityKey,
    InvalidOption,
    ListQuery,
    ODataErrorCode,
    RecordQuery,
    parse_if_match,
    parse_list_query,
    parse_record_query,
)
from servicekit.errors import MethodNotAllowed

Allows: TypeAlias = Callable[[str], bool]
"""Whether the caller's permissions cover a menu route."""

REPLACE_HEADER: Final = "b1s-replacecollectionsonpatch"
_READ_HEADERS: Final = frozenset({"b1s-caseinsensitive", "b1s-pagesize"})
_PATCH_HEADERS: Final = frozenset({REPLACE_HEADER})
_NO_HEADERS: Final[frozenset[str]] = frozenset()
_REPLACE_VALUES: Final[dict[tuple[str, ...], bool]] = {("true",): True, ("false",): False}
_MAX_AUDITED_KEY: Final = 254
_EVERYTHING: Final = "*"
"""No menu route, so only an administrator's permissions cover it."""
_KEY_IN_PARENTHESES: Final = re.compile(
    r"(?P<name>[A-Za-z0-9_]+)\((?:'(?P<text>[A-Za-z0-9._-]{1,40})'|(?P<number>[0-9-]{1,20}))\)"
)


@frozen(slots=True)
class ListPlan:
    """Read a page of records.

    Attributes:
        target: the resource.
        query: what to read of it.
        no_cache: whether the client wants no answer from memory.
    """

    target: Registered
    query: ListQuery
    no_cache: bool = False


@frozen(kw_only=True)
class ExportPlan:
    """A list that was checked.

    Attributes:
        target: the resource.
        query: what the client asked for; `top` is how many rows it wants at most.
        all_wanted: whether it wants all of them, and would rather have none than some.
    """

    target: Registered
    query: ListQuery
    all_wanted: bool

    @property
    def title(self) -> str:
        """What people call the list."""
        return self.target.resource.title or self.target.resource.name

    @property
    def facts(self) -> tuple[tuple[str, object], ...]:
        """What the client asked for, for the last sheet."""
        asked = (("Filtro", self.query.filter), ("Orden", ", ".join(self.query.orderby)))
        return tuple((name, value) for name, value in asked if value)


@frozen(slots=True)
class RecordPlan:
    """Read one record.

    Attributes:
        target: the resource.
        predicate: the key for the upstream path, percent-encoded.
        key_filter: the key as a condition, for keys that the ERP's web server may not take in a path.
        query: what to read of it.
        no_cache: whether the client wants no answer from memory.
    """

    target: Registered
    predicate: str
    key_filter: str | None
    query: RecordQuery
    no_cache: bool = False


@frozen(slots=True)
class HistoryPlan:
    """Read what was done with one record.

    Attributes:
        target: the resource.
        key: the key as the record's writes are kept under it.
    """

    target: Registered
    key: str


@frozen(slots=True)
class CreatePlan:
    """Create a record."""

    target: Registered


@frozen(slots=True)
class ModifyPlan:
    """Change a record.

    Attributes:
        target: the resource.
        key: the key as the client wrote it; one of several parts in their declared order.
        predicate: the key for the upstream path, percent-encoded.
        if_match: `*` or one weak tag, checked.
        replace_collections: whether the sent lines become all the lines.
    """

    target: Registered
    key: str
    predicate: str
    if_match: str | None
    replace_collections: bool


@frozen(slots=True)
class ActionPlan:
    """Run an action on a record; attributes as in `ModifyPlan`."""

    target: Registered
    key: str
    predicate: str
    action: str
    if_match: str | None


@frozen(slots=True)
class ServiceActionPlan:
    """Run a query-only action without a record."""

    action: ServiceAction


@frozen(kw_only=True)
class ClientRequest:
    """What a request says to the policy.

    Attributes:
        name: of a resource or service action.
        key: of a record, decoded; empty where the path has none.
        action: of a record; empty where the path has none.
        query: the query string, still encoded.
        headers: those that the proxy looks at.
        allows: whether the caller may use a menu route.
    """

    name: str
    key: str = ""
    action: str = ""
    query: bytes
    headers: ClientHeaders
    allows: Allows


class ProxyPolicy:
    """Decides what a request may become.

    Every method raises the one refusal that applies: `ResourceNotRegistered`, `ActionNotRegistered`,
    `MethodNotAllowed`, `PermissionDenied`, `HeaderNotAllowed`, `HeaderBadValue`, `EtagUnsupported`, or an
    `erpclient.odata.ODataError`.

    Args:
        registry: what may be touched at all.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def plan_list(self, asked: ClientRequest) -> ListPlan:
        """Decide `GET /api/sl/{resource}`."""
        target = self._readable(asked, None)
        return ListPlan(target, parse_list_query(asked.query, target.rules), asked.headers.no_cache)

    def plan_export(self, asked: ClientRequest, *, most: int) -> ExportPlan:
        """Decide `GET /api/sl/{resource}` as a file: by the same rules, with up to `most` rows for `$top`."""
        target = self._readable(asked, None)
        limits = attrs.evolve(DEFAULT_LIMITS, default_top=most + 1, max_top=most)
        options = parse_list_query(asked.query, target.rules, limits)
        return ExportPlan(target=target, query=options, all_wanted=options.top > most)

    def check_readable(self, asked: ClientRequest) -> None:
        """Check once more that the person may read what the client asks for.

        Raises:
            PermissionDenied: the menu route was taken away.
        """
        self._readable(asked, asked.key or None)

    def plan_record(self, asked: ClientRequest) -> RecordPlan:
        """Decide `GET /api/sl/{resource}/{key}`."""
        key = asked.key
        target = self._readable(asked, key)
        options = parse_record_query(asked.query, target.rules)
        declared = target.resource.key
        slashed = "/" in key or "\\" in key
        return RecordPlan(
            target,
            declared.predicate(key),
            declared.filter(key) if slashed else None,
            options,
            asked.headers.no_cache,
        )

    def plan_history(self, asked: ClientRequest) -> HistoryPlan:
        """Decide `GET /api/history/{resource}/{key}`: who may read a record may know what became of it."""
        target = self._readable(asked, asked.key)
        declared = target.resource.key
        return HistoryPlan(target, _one_spelling(declared, asked.key, declared.predicate(asked.key)))

    def find_usable(self, name: str, allows: Allows) -> Registered:
        """Return the resource of this name, for whoever may read or write its records."""
        target = self._registered(name)
        resource = target.resource
        if not (resource.writable and (resource.write_menu is None or allows(resource.write_menu))):
            menu = resource.read_menu if "GET" in resource.methods else resource.write_menu
            _check_permission(menu, allows, target, None)
        return target

    def plan_post(self, asked: ClientRequest) -> CreatePlan | ServiceActionPlan:
        """Decide `POST /api/sl/{name}`: a new record of a resource, or a service action."""
        name = asked.name
        action = self._registry.find_service_action(name)
        if action is not None:
            plan: CreatePlan | ServiceActionPlan = ServiceActionPlan(action)
        else:
            target = self._registry.find(name)
            if target is None:
                raise ActionNotRegistered if "Service_" in name else self._not_registered(name)
            if "POST" not in target.resource.methods:
                raise MethodNotAllowed(headers={"Allow": target.allow})
            _check_permission(target.resource.write_menu, asked.allows, target, None)
            plan = CreatePlan(target)
        _check_headers(asked.headers, _NO_HEADERS)
        _check_no_query(asked.query)
        if asked.headers.if_match is not None:
            raise EtagUnsupported(
                "La cabecera If-Match no se admite aquí: no hay un registro leído que proteger."
            )
        return plan

    def plan_modify(self, asked: ClientRequest) -> ModifyPlan:
        """Decide `PATCH /api/sl/{resource}/{key}`."""
        target, key, headers = self._registered(asked.name), asked.key, asked.headers
        resource = target.resource
        if "PATCH" not in resource.methods:
            raise MethodNotAllowed(headers={"Allow": target.allow_record})
        _check_permission(resource.write_menu, asked.allows, target, key)
        _check_headers(headers, _PATCH_HEADERS if resource.replaces_collections else _NO_HEADERS)
        replace = _read_replace_header(headers)
        _check_no_query(asked.query)
        if_match = _read_if_match(headers, tagged=resource.tagged)
        predicate = resource.key.predicate(key)
        return ModifyPlan(target, _one_spelling(resource.key, key, predicate), predicate, if_match, replace)

    def plan_action(self, asked: ClientRequest) -> ActionPlan:
        """Decide `POST /api/sl/{resource}/{key}/{action}`."""
        target, key, headers = self._registered(asked.name), asked.key, asked.headers
        resource = target.resource
        if asked.action not in resource.actions:
            raise ActionNotRegistered
        _check_permission(resource.write_menu, asked.allows, target, key)
        _check_headers(headers, _NO_HEADERS)
        _check_no_query(asked.query)
        if_match = _read_if_match(headers, tagged=resource.tagged)
        predicate = resource.key.predicate(key)
        return ActionPlan(
            target, _one_spelling(resource.key, key, predicate), predicate, asked.action, if_match
        )

    def check_references(self, asked: ClientRequest, references: References) -> None:
        """Check that the caller may read what the body of a write names.

        Raises:
            PermissionDenied: naming the resource, the key and the registered resources that the body names.
        """
        lacking = sorted(name for name in references.resources if not self._may_read(name, asked.allows))
        if lacking or (references.is_unreadable and not asked.allows(_EVERYTHING)):
            registered = (name for name in lacking if self._registry.find(name) is not None)
            key = asked.key[:_MAX_AUDITED_KEY] if asked.key else None
            raise PermissionDenied(asked.name, key=key, references=registered)

    def _may_read(self, name: str, allows: Allows) -> bool:
        """Tell whether the caller may read a resource; of one that is not registered administrators may."""
        target = self._registry.find(name)
        if target is None or "GET" not in target.resource.methods:
            return allows(_EVERYTHING)
        menu = target.resource.read_menu
        return menu is None or allows(menu)

    def refuse_collection_method(self, name: str) -> NoReturn:
        """Refuse any other method on `/api/sl/{name}`."""
        if self._registry.is_service_action(name):
            raise MethodNotAllowed(headers={"Allow": "POST"})
        raise MethodNotAllowed(headers={"Allow": self._registered(name).allow})

    def refuse_record_method(self, name: str) -> NoReturn:
        """Refuse any other method on `/api/sl/{resource}/{key}`."""
        raise MethodNotAllowed(headers={"Allow": self._registered(name).allow_record})

    def refuse_action_method(self, name: str, action: str) -> NoReturn:
        """Refuse any other method on `/api/sl/{resource}/{key}/{action}`."""
        if action not in self._registered(name).resource.actions:
            raise ActionNotRegistered
        raise MethodNotAllowed(headers={"Allow": "POST"})

    def _registered(self, name: str) -> Registered:
        target = self._registry.find(name)
        if target is None:
            raise self._not_registered(name)
        return target

    def _not_registered(self, name: str) -> ResourceNotRegistered:
        """Refuse a name; who wrote the key of a record as the ERP does is told where it stands here."""
        written = _KEY_IN_PARENTHESES.fullmatch(name)
        found = None if written is None else self._registry.find(written["name"])
        if written is None or found is None:
            return ResourceNotRegistered()
        path = f"{found.service_path}/{written['text'] or written['number']}"
        return ResourceNotRegistered(
            f"{ResourceNotRegistered.detail} La clave de un registro va en la ruta, así: {path}"
        )

    def _readable(self, asked: ClientRequest, key: str | None) -> Registered:
        if key is None and self._registry.is_service_action(asked.name):
            self.refuse_collection_method(asked.name)
        target = self._registered(asked.name)
        if "GET" not in target.resource.methods:
            raise MethodNotAllowed(headers={"Allow": target.allow if key is None else target.allow_record})
        _check_permission(target.resource.read_menu, asked.allows, target, key)
        _check_headers(asked.headers, _READ_HEADERS)
        return target


def _check_permission(menu: str | None, allows: Allows, target: Registered, key: str | None) -> None:
    if menu is not None and not allows(menu):
        raise PermissionDenied(target.resource.name, key=None if key is None else key[:_MAX_AUDITED_KEY])


def _one_spelling(declared: EntityKey, key: str, predicate: str) -> str:
    """Return the key under which a record's whole history stands, in whichever order its parts came."""
    return unquote(predicate[1:-1]) if isinstance(declared, CompositeKey) else key


def _check_headers(headers: ClientHeaders, allowed: frozenset[str]) -> None:
    for name in headers.options:
        if name not in allowed:
            raise HeaderNotAllowed(f"La cabecera {name[:40]} no está permitida en esta operación.")


def _read_replace_header(headers: ClientHeaders) -> bool:
    values = headers.options.get(REPLACE_HEADER)
    if values is None:
        return False
    replace = _REPLACE_VALUES.get(values)
    if replace is None:
        raise HeaderBadValue("La cabecera B1S-ReplaceCollectionsOnPatch admite true o false, una sola vez.")
    return replace


def _read_if_match(headers: ClientHeaders, *, tagged: bool) -> str | None:
    if headers.if_match is None:
        return None
    tag = parse_if_match(headers.if_match)
    if not tagged:
        raise EtagUnsupported
    return tag


def _check_no_query(query: bytes) -> None:
    """Refuse options on a write: none is allowed there, and an ignored one would promise something."""
    if query:
        raise InvalidOption(ODataErrorCode.UNKNOWN_OPTION, "a write takes no query options", position=0)
