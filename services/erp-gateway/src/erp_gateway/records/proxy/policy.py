"""The rules of the proxy: a request becomes a plan or one refusal. No I/O, no clock, no network.

A plan is built from validated parts. Only a checked body is passed on as it was received. Rules apply in this
order, and the first broken one refuses the request: registered, method or action declared, permitted,
headers, query, key.
"""

import re
from collections.abc import Iterable
from typing import Final, NoReturn
from urllib.parse import unquote

import attrs

from erp_gateway.records.proxy.body.references import References
from erp_gateway.records.proxy.client_headers import ClientHeaders
from erp_gateway.records.proxy.client_request import Allows, ClientRequest
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erp_gateway.records.proxy.declarations.resource import key_parts
from erp_gateway.records.proxy.errors import (
    ActionNotRegistered,
    EtagUnsupported,
    HeaderBadValue,
    HeaderNotAllowed,
    ResourceNotRegistered,
)
from erp_gateway.records.proxy.plans import (
    ActionPlan,
    CreatePlan,
    ExportPlan,
    HistoryPlan,
    ListPlan,
    ModifyPlan,
    RecordPlan,
    ServiceActionPlan,
    SumPlan,
)
from erp_gateway.records.proxy.sums import summable_columns
from erp_gateway.values.errors import PermissionDenied
from erpclient.odata import (
    DEFAULT_LIMITS,
    CompositeKey,
    EntityKey,
    Expected,
    InvalidOption,
    ODataErrorCode,
    SumQuery,
    check_encoded_length,
    parse_if_match,
    parse_list_query,
    parse_record_query,
    parse_sum_query,
)
from servicekit.errors import MethodNotAllowed

REPLACE_HEADER: Final = "b1s-replacecollectionsonpatch"
_READ_HEADERS: Final = frozenset({"b1s-caseinsensitive", "b1s-pagesize"})
_PATCH_HEADERS: Final = frozenset({REPLACE_HEADER})
_NO_HEADERS: Final[frozenset[str]] = frozenset()
_REPLACE_VALUES: Final[dict[tuple[str, ...], bool]] = {("true",): True, ("false",): False}
_MAX_AUDITED_KEY: Final = 254
_SHOWN_CHARACTERS: Final = 20
_EVERYTHING: Final = "*"
"""Not a menu route, so only an administrator's permissions cover it."""
_KEY_IN_PARENTHESES: Final = re.compile(
    r"(?P<name>[A-Za-z0-9_]+)\((?:'(?P<text>[A-Za-z0-9._-]{1,40})'|(?P<number>[0-9-]{1,20}))\)"
)


class ProxyPolicy:
    """Decides about requests.

    Every method raises the refusal that applies: `ResourceNotRegistered`, `ActionNotRegistered`,
    `MethodNotAllowed`, `PermissionDenied`, `HeaderNotAllowed`, `HeaderBadValue`, `EtagUnsupported`, or an
    `erpclient.odata.ODataError`.

    Args:
        registry: the registered resources and service actions.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def plan_list(self, request: ClientRequest) -> ListPlan:
        """Decide `GET /api/sl/{resource}`."""
        target = self._readable(request, None)
        return ListPlan(target, parse_list_query(request.query, target.rules), request.headers.no_cache)

    def plan_export(self, request: ClientRequest, *, max_rows: int) -> ExportPlan:
        """Decide `GET /api/sl/{resource}` as a file: the same rules, with a `$top` up to `max_rows`."""
        target = self._readable(request, None)
        limits = attrs.evolve(DEFAULT_LIMITS, default_top=max_rows + 1, max_top=max_rows)
        options = parse_list_query(request.query, target.rules, limits)
        return ExportPlan(target=target, query=options, all_wanted=options.top > max_rows)

    def plan_sums(self, request: ClientRequest) -> SumPlan:
        """Decide `GET /api/sums/{resource}`: with the permission and the filter rules of a list."""
        target = self._readable(request, None)
        options = parse_sum_query(request.query, target.rules)
        summable = summable_columns(target)
        names = tuple(dict.fromkeys(summable if options.select is None else options.select))
        for name in names:
            if name not in summable:
                raise _not_summable(name, summable)
        columns = tuple(summable[name] for name in names)
        units = (column.measure.by for column in columns if column.measure is not None)
        query = SumQuery(
            sums=names,
            key=key_parts(target.resource.key)[0].name,
            by=tuple(dict.fromkeys(unit for unit in units if unit is not None)),
            filter=options.filter,
        )
        check_encoded_length(query.encode())
        return SumPlan(target, columns, query)

    def check_readable(self, request: ClientRequest) -> None:
        """Check again that the caller may read the records of a request.

        Raises:
            PermissionDenied: the permission was withdrawn.
        """
        self._readable(request, request.key or None)

    def plan_record(self, request: ClientRequest) -> RecordPlan:
        """Decide `GET /api/sl/{resource}/{key}`."""
        key = request.key
        target = self._readable(request, key)
        options = parse_record_query(request.query, target.rules)
        declared = target.resource.key
        slashed = "/" in key or "\\" in key
        return RecordPlan(
            target,
            declared.predicate(key),
            declared.filter(key) if slashed else None,
            options,
            request.headers.no_cache,
        )

    def plan_history(self, request: ClientRequest) -> HistoryPlan:
        """Decide `GET /api/history/{resource}/{key}`: with the permission for reading the record."""
        target = self._readable(request, request.key)
        declared = target.resource.key
        return HistoryPlan(target, _canonical_key(declared, request.key, declared.predicate(request.key)))

    def find_usable(self, name: str, allows: Allows) -> Registered:
        """Return the resource of this name if the caller may read or write its records."""
        target = self._registered(name)
        resource = target.resource
        if not (resource.writable and (resource.write_menu is None or allows(resource.write_menu))):
            menu = resource.read_menu if "GET" in resource.methods else resource.write_menu
            _check_permission(menu, allows, target, None)
        return target

    def plan_post(self, request: ClientRequest) -> CreatePlan | ServiceActionPlan:
        """Decide `POST /api/sl/{name}`: a new record of a resource, or a service action."""
        name = request.name
        action = self._registry.find_service_action(name)
        if action is not None:
            plan: CreatePlan | ServiceActionPlan = ServiceActionPlan(action)
        else:
            target = self._registry.find(name)
            if target is None:
                raise ActionNotRegistered if "Service_" in name else self._not_registered(name)
            if "POST" not in target.resource.methods:
                raise MethodNotAllowed(headers={"Allow": target.allow})
            _check_permission(target.resource.write_menu, request.allows, target, None)
            plan = CreatePlan(target)
        check_plain_write(request.headers, request.query)
        return plan

    def plan_modify(self, request: ClientRequest) -> ModifyPlan:
        """Decide `PATCH /api/sl/{resource}/{key}`."""
        target, key, headers = self._registered(request.name), request.key, request.headers
        resource = target.resource
        if "PATCH" not in resource.methods:
            raise MethodNotAllowed(headers={"Allow": target.allow_record})
        _check_permission(resource.write_menu, request.allows, target, key)
        _check_headers(headers, _PATCH_HEADERS if resource.replaces_collections else _NO_HEADERS)
        replace = _read_replace_header(headers)
        _check_no_query(request.query)
        if_match = _read_if_match(headers, tagged=resource.tagged)
        predicate = resource.key.predicate(key)
        return ModifyPlan(target, _canonical_key(resource.key, key, predicate), predicate, if_match, replace)

    def plan_action(self, request: ClientRequest) -> ActionPlan:
        """Decide `POST /api/sl/{resource}/{key}/{action}`."""
        target, key, headers = self._registered(request.name), request.key, request.headers
        resource = target.resource
        if request.action not in resource.actions:
            raise ActionNotRegistered
        _check_permission(resource.write_menu, request.allows, target, key)
        _check_headers(headers, _NO_HEADERS)
        _check_no_query(request.query)
        if_match = _read_if_match(headers, tagged=resource.tagged)
        predicate = resource.key.predicate(key)
        return ActionPlan(
            target, _canonical_key(resource.key, key, predicate), predicate, request.action, if_match
        )

    def check_references(self, request: ClientRequest, references: References) -> None:
        """Check that the caller may read the records that the body of a write refers to.

        Raises:
            PermissionDenied: with the resource, the key and the registered resources of the references.
        """
        unreadable = sorted(name for name in references.resources if not self._may_read(name, request.allows))
        if unreadable or (references.is_unreadable and not request.allows(_EVERYTHING)):
            registered = (name for name in unreadable if self._registry.find(name) is not None)
            key = request.key[:_MAX_AUDITED_KEY] if request.key else None
            raise PermissionDenied(request.name, key=key, references=registered)

    def may_read(self, target: Registered, allows: Allows) -> bool:
        """Return whether the caller may read the records of a resource."""
        return self._may_read(target.resource.name, allows)

    def _may_read(self, name: str, allows: Allows) -> bool:
        """Return whether the caller may read a resource. Only administrators may if it is not registered."""
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
        # A client that writes a key as the ERP does, `Orders(7)`, learns how this API writes it.
        match = _KEY_IN_PARENTHESES.fullmatch(name)
        target = None if match is None else self._registry.find(match["name"])
        if match is None or target is None:
            return ResourceNotRegistered()
        path = f"{target.service_path}/{match['text'] or match['number']}"
        return ResourceNotRegistered(
            f"{ResourceNotRegistered.detail} La clave de un registro va en la ruta, así: {path}"
        )

    def _readable(self, request: ClientRequest, key: str | None) -> Registered:
        if key is None and self._registry.is_service_action(request.name):
            self.refuse_collection_method(request.name)
        target = self._registered(request.name)
        if "GET" not in target.resource.methods:
            raise MethodNotAllowed(headers={"Allow": target.allow if key is None else target.allow_record})
        _check_permission(target.resource.read_menu, request.allows, target, key)
        _check_headers(request.headers, _READ_HEADERS)
        return target


def check_plain_write(headers: ClientHeaders, query: bytes) -> None:
    """Check that a write of no record that was read has no `B1S-` header, `If-Match` or query option.

    Raises:
        HeaderNotAllowed, EtagUnsupported, erpclient.odata.InvalidOption: it has.
    """
    _check_headers(headers, _NO_HEADERS)
    _check_no_query(query)
    if headers.if_match is not None:
        raise EtagUnsupported(
            "La cabecera If-Match no se admite aquí: no hay un registro leído que proteger."
        )


def _not_summable(name: str, summable: Iterable[str]) -> InvalidOption:
    return InvalidOption(
        ODataErrorCode.BAD_VALUE,
        f"not a column that adds up: {', '.join(summable) or 'there is none'}",
        option="$select",
        expected=(Expected.ALLOWED_NAME,),
        found=name[:_SHOWN_CHARACTERS],
    )


def _check_permission(menu: str | None, allows: Allows, target: Registered, key: str | None) -> None:
    if menu is not None and not allows(menu):
        raise PermissionDenied(target.resource.name, key=None if key is None else key[:_MAX_AUDITED_KEY])


def _canonical_key(declared: EntityKey, key: str, predicate: str) -> str:
    """Return the key under which the audit stores a record: its parts in declared order."""
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
    # A client would take an ignored option for one that had an effect.
    if query:
        raise InvalidOption(ODataErrorCode.UNKNOWN_OPTION, "a write takes no query options", position=0)
