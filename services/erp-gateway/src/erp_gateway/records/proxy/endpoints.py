"""`/api/sl`: HTTP in and out of the proxy. No rule lives here; `policy` has them all."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final, Literal, Self, TypeAlias

import attrs
from attrs import define, field, frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.audit.query import QueryReading
from erp_gateway.audit.store import AuditFilter, AuditItem, AuditStore
from erp_gateway.files.exports.errors import EXPORT_ERRORS, ExportChanged
from erp_gateway.files.exports.options import (
    DISPOSITION_HEADER,
    FILES,
    QUERY,
    ExportOptions,
    read_export_options,
    split_query,
)
from erp_gateway.files.exports.response import ExportResponse
from erp_gateway.records.proxy import errors
from erp_gateway.records.proxy.body import BodyChecker, WriteTarget
from erp_gateway.records.proxy.client_headers import read_client_headers
from erp_gateway.records.proxy.meanings import with_meanings
from erp_gateway.records.proxy.policy import Allows, ClientRequest, ProxyPolicy, ServiceActionPlan
from erp_gateway.records.proxy.registry import (
    Column,
    Registered,
    Registry,
    Resource,
    key_parts,
)
from erp_gateway.records.proxy.service import ProxyService, WriteContext
from erp_gateway.records.proxy.service_action_rate import ServiceActionRate
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import AuditResult, SentFields
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.web import odata_errors
from erp_gateway.web.access import Access, Permissions, actor_of, lasting_right, session_of
from erp_gateway.web.error_map import (
    UPSTREAM_FAILURES,
    UPSTREAM_REFUSALS,
    MaybeInApproval,
    OutcomeUnknown,
    OutcomeUnknownTimeout,
    UpstreamKeyUnsupported,
)
from erp_gateway.web.requests import DEFAULT_PAGE_SIZE, MAX_PAGE, MAX_PAGE_SIZE, page_params, upstream_calls
from erp_gateway.writes.errors import (
    FirstOutcomeUnknown,
    IdempotencyKeyBadValue,
    IdempotencyKeyReused,
    LedgerUnavailable,
)
from erp_gateway.writes.idempotency_key import MAX_KEY_CHARS, read_idempotency_key
from erp_gateway.writes.outcome import WriteAnswer
from erpclient import ErpList, ErpRecord, ErpReply
from erpclient.odata import DateKey, IntKey, StrKey
from servicekit.cache import CachedAnswer
from servicekit.endpoint import (
    OTHER_METHODS,
    Answer,
    Body,
    Endpoint,
    Handler,
    PathParam,
    QueryParam,
    json_response,
    path_param,
    read_body,
    read_query,
)
from servicekit.endpoint.declare import HeaderParam
from servicekit.erp.errors import RecordNotFound
from servicekit.errors import InvalidBody, InvalidQuery, MethodNotAllowed, ServiceError
from servicekit.request_log import request_facts

KeyType: TypeAlias = Literal["integer", "text", "date"]

_METHODS: Final = ("GET", "POST", "PATCH")
_KEY_TYPES: Final[Mapping[type, KeyType]] = {IntKey: "integer", StrKey: "text", DateKey: "date"}


@frozen(kw_only=True)
class KeyPart:
    """One property of a key, and how its values are written."""

    name: str
    type: KeyType


@frozen(kw_only=True)
class OfferedResource:
    """One resource, with what the caller may do there and what a page needs to show it.

    Attributes:
        name: the resource.
        title: what people call its records; None where nobody has said.
        singular: what they call one of them, such as above its page; None likewise.
        area: what part of the company's work it belongs to: the first word of its menu route, such as
            `ventas`; None where any session may read it.
        path: where its records are.
        methods: those that the caller's permissions cover.
        key: one part, or several of a composite key.
        actions: verbs on one record that the caller may use.
        expand: what `$expand` may name.
        etag: whether records carry entity tags, and `If-Match` is honoured.
        replaces_collections: whether PATCH takes `B1S-ReplaceCollectionsOnPatch`.
        approvable: whether a new record may end as a draft that waits for approval.
        attachments: whether records have files at `/api/attachments`.
        screen: menu route of the screen whose print formats print its records (`GET /api/gateway/documents`);
            None where there are none for the caller.
        columns: what to show of a record, in order; empty where nobody has said.
    """

    name: str
    title: str | None
    singular: str | None
    area: str | None
    path: str
    methods: tuple[str, ...]
    key: tuple[KeyPart, ...]
    actions: tuple[str, ...]
    expand: tuple[str, ...]
    etag: bool
    replaces_collections: bool
    approvable: bool
    attachments: bool
    screen: str | None
    columns: tuple[Column, ...]


@frozen(kw_only=True)
class Offer:
    """Everything that the caller may use, by name."""

    items: tuple[OfferedResource, ...]
    service_actions: tuple[str, ...]


@frozen(kw_only=True)
class HistoryItem:
    """One thing that was done with a record.

    Attributes:
        at: when, ISO 8601 in UTC.
        web_user: who.
        action: what.
        result: how it ended.
        fields: names of the fields that were sent, without those that are hidden.
    """

    at: str
    web_user: str | None
    action: str
    result: str
    fields: tuple[str, ...]

    @classmethod
    def of(cls, item: AuditItem, hidden: frozenset[str]) -> Self:
        """Return what readers of the record may know of an audit record."""
        folded = {name.casefold() for name in hidden}  # sent names are the client's, in any letter case
        fields = (n for n in item.fields if folded.isdisjoint(n.casefold().replace("[]", "").split(".")))
        return cls(
            at=item.at,
            web_user=item.web_user,
            action=item.action,
            result=item.result,
            fields=tuple(fields),
        )


@frozen(kw_only=True)
class History:
    """One page of what was done with a record, newest first."""

    items: tuple[HistoryItem, ...]
    page: int
    page_size: int
    total: int


def offer(registry: Registry, allows: Allows, *, prints: bool) -> Offer:
    """Return what somebody with these permissions may use; a resource they may not use at all is left out.

    Args:
        registry: what there is at all.
        allows: whether the caller may use a menu route.
        prints: whether there is a report gateway, which print formats need.
    """
    offered = (_offer(registered, allows, prints=prints) for registered in registry.registered)
    return Offer(
        items=tuple(each for each in offered if each.methods or each.actions),
        service_actions=registry.service_actions,
    )


def _offer(registered: Registered, allows: Allows, *, prints: bool) -> OfferedResource:
    resource = registered.resource
    may_write = _permitted(resource.write_menu, allows)
    may_print = prints and resource.printed and _permitted(resource.read_menu, allows)
    return OfferedResource(
        name=resource.name,
        title=resource.title,
        singular=resource.singular,
        area=None if resource.read_menu is None else resource.read_menu.split("/")[1],
        path=registered.service_path,
        methods=tuple(_methods(resource, allows, may_write=may_write)),
        key=tuple(KeyPart(name=part.name, type=_KEY_TYPES[type(part)]) for part in key_parts(resource.key)),
        actions=tuple(sorted(resource.actions)) if may_write else (),
        expand=tuple(sorted(resource.expand)),
        etag=resource.tagged,
        replaces_collections=resource.replaces_collections,
        approvable=resource.approvable,
        attachments=resource.attachments,
        screen=resource.read_menu if may_print else None,
        columns=with_meanings(resource),
    )


def _methods(resource: Resource, allows: Allows, *, may_write: bool) -> Iterator[str]:
    for method in _METHODS:
        permitted = _permitted(resource.read_menu, allows) if method == "GET" else may_write
        if method in resource.methods and permitted:
            yield method


def _permitted(menu: str | None, allows: Allows) -> bool:
    return menu is None or allows(menu)


_COLLECTION: Final = "/api/sl/{resource}"
_RECORD_PATH: Final = "/api/sl/{resource}/{key}"
_ACTION_PATH: Final = "/api/sl/{resource}/{key}/{action}"
_JSON: Final = "application/json"
_NO_CONTENT: Final = 204


_COUNT: Final = "odata.count"
_OBJECT: Final = {"type": "object", "additionalProperties": True}
"""A record of the ERP: it may hold anything; generators of clients take silence for nothing."""

_RESOURCE: Final = {"resource": PathParam("A registered resource", "Items")}
_RESOURCE_OR_ACTION: Final = {
    "resource": PathParam("A registered resource, or a registered service action", "Orders")
}
RECORD: Final = {
    **_RESOURCE,
    "key": PathParam(
        "Key of the record, percent-encoded in one segment (`A%2F1` for `A/1`); "
        "a composite one as `CardCode='C1',ItemCode='A1'`",
        "A00001",
    ),
}
_ACTION: Final = {**RECORD, "action": PathParam("An action that the resource declares", "Cancel")}

_SELECT: Final = QueryParam("$select", "Properties to read, separated by commas", "ItemCode,ItemName")
_EXPAND: Final = QueryParam("$expand", "Navigation properties that the resource declares", "ItemGroups")
_LIST_QUERY: Final = (
    _SELECT,
    QueryParam(
        "$filter",
        "A condition: `eq ne gt ge lt le`, `and or not`, `()`, `startswith endswith contains substringof`",
        "startswith(ItemName,'Tornillo') and Valid eq 'tYES'",
    ),
    QueryParam("$orderby", "Properties, each with `asc` or `desc`", "ItemCode desc"),
    _EXPAND,
    QueryParam(
        "$top", "Rows to answer", 50, {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}
    ),
    QueryParam("$skip", "Rows to leave out at the start", 0, {"type": "integer", "minimum": 0}),
    *QUERY,
)
_LIST_DESCRIPTION: Final = (
    "As a file, all records that match, or as many as `$top` says, which may then be more; without `$select` "
    "the resource's own columns, with their Spanish titles."
)

_HISTORY_DESCRIPTION: Final = (
    "Through the gateway, newest first, for whoever may read the record; values are not kept, and what was "
    "denied is for administrators (`GET /api/audit`). The ERP is not asked."
)

_IF_MATCH: Final = HeaderParam(
    "If-Match",
    "`*`, or the `odata.etag` that was read; only where the resource carries tags",
    'W/"356A192B7913B04C54574D18C28D46E6395428AB"',
)
_READ_HEADERS: Final = (
    HeaderParam("B1S-PageSize", "Accepted and ignored: the gateway sets it to `$top`", "50"),
    HeaderParam(
        "B1S-CaseInsensitive", "Accepted and ignored: the gateway sets it where there is a filter", "true"
    ),
    HeaderParam(
        "Cache-Control",
        "`no-cache`: the ERP is asked also for reference data that is in memory; all else is ignored",
        "no-cache",
    ),
)
IDEMPOTENCY_KEY: Final = HeaderParam(
    "Idempotency-Key",
    "1 to 128 visible ASCII characters, new for each operation: the same request with the same key is done "
    "once and gets the same answer, with `Idempotency-Replayed: true`",
    "8f7c2f5e-6c1d-4a55-9d31-0f4f2f6f3c11",
    {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS},
)
_MODIFY_HEADERS: Final = (
    IDEMPOTENCY_KEY,
    _IF_MATCH,
    HeaderParam(
        "B1S-ReplaceCollectionsOnPatch",
        "`true`: the sent lines become all the lines, others are deleted. Where the resource declares it",
        "true",
        {"type": "string", "enum": ["true", "false"]},
    ),
)

_OFFER_ANSWER: Final = Answer("The resources and service actions that the caller may use", Body(Offer))
_REPLAYED: Final = {
    "Idempotency-Replayed": "`true` where the first request with the key was answered so before"
}
_FROM_MEMORY: Final = {
    "Age": "Seconds since it was read from the ERP, where reference data is answered from memory",
    "X-ERP-Stale": "`true` where it is answered from memory because the ERP gives no answers",
}
_LIST_ANSWER: Final = Answer(
    "A page of records",
    Body(
        {
            "type": "object",
            "required": ["value", _COUNT],
            "properties": {
                "value": {"type": "array", "items": _OBJECT},
                _COUNT: {"type": "integer", "description": "How many records match in all"},
            },
        },
        {"value": [{"ItemCode": "A00001", "ItemName": "Tornillo 3/8", "AvgStdPrice": 100.10}], _COUNT: 1},
    ),
    {**_FROM_MEMORY, **DISPOSITION_HEADER},
    FILES,
)
_RECORD_ANSWER: Final = Answer(
    "The record, with `odata.etag` where the resource carries tags",
    Body(_OBJECT, {"ItemCode": "A00001", "ItemName": "Tornillo 3/8", "odata.etag": 'W/"356A192B…"'}),
    {"ETag": "Entity tag of the record, to be sent back as `If-Match`", **_FROM_MEMORY},
)
_HISTORY_ANSWER: Final = Answer("A page of it", Body(History))
_CREATED_ANSWER: Final = Answer(
    "The record as the ERP created it; to a repeated request without it where it was over 256 KiB, or found "
    "only later",
    Body(_OBJECT, {"DocEntry": 2451, "DocNum": 1032, "DocTotal": 119000.0}, required=False),
    {"Location": "Path of the new record", **_REPLAYED},
)
_ACTION_ANSWER: Final = Answer(
    "What the ERP returned",
    Body({}, {"value": [{"Series": 4, "Name": "Primario"}]}, required=False),
    _REPLAYED,
)
_DONE_ANSWER: Final = Answer("Done; nothing to return", headers=_REPLAYED)

_NEW_RECORD: Final = Body(
    _OBJECT,
    {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A00001", "Quantity": 2.5, "UnitPrice": 100.10}]},
    required=False,
)

_ODATA: Final[tuple[type[ServiceError], ...]] = (
    odata_errors.ODataSyntax,
    odata_errors.ODataLimit,
    odata_errors.ODataUnknownOption,
    odata_errors.ODataRepeatedOption,
    odata_errors.ODataForbiddenName,
    odata_errors.ODataBadValue,
    odata_errors.ODataEncoding,
)
ANY_CALL: Final[tuple[type[ServiceError], ...]] = (
    errors.ResourceNotRegistered,
    errors.HeaderNotAllowed,
    PermissionDenied,
    *UPSTREAM_REFUSALS,
    *UPSTREAM_FAILURES,
)
ANY_WRITE: Final[tuple[type[ServiceError], ...]] = (
    *ANY_CALL,
    InvalidBody,
    odata_errors.ODataUnknownOption,
    errors.EtagUnsupported,
    IdempotencyKeyBadValue,
    IdempotencyKeyReused,
    FirstOutcomeUnknown,
    LedgerUnavailable,
    OutcomeUnknown,
    OutcomeUnknownTimeout,
)
ON_RECORD: Final[tuple[type[ServiceError], ...]] = (
    odata_errors.KeyBadValue,
    odata_errors.IfMatchBadValue,
    UpstreamKeyUnsupported,
)

_LIST_ERRORS: Final = (*ANY_CALL, *_ODATA, MethodNotAllowed, RecordNotFound)
_HISTORY_ERRORS: Final = (
    errors.ResourceNotRegistered,
    PermissionDenied,
    odata_errors.KeyBadValue,
    InvalidQuery,
    MethodNotAllowed,
    StoreUnavailable,
)
_POST_ERRORS: Final = (
    *ANY_WRITE,
    errors.FieldNotWritable,
    errors.ActionNotRegistered,
    errors.RateLimited,
    MethodNotAllowed,
    MaybeInApproval,
)
_MODIFY_ERRORS: Final = (
    *ANY_WRITE,
    *ON_RECORD,
    errors.FieldNotWritable,
    errors.HeaderBadValue,
    MethodNotAllowed,
    RecordNotFound,
)


@define(eq=False, repr=False)
class ProxyEndpoints:
    """Handlers of the proxy.

    Args:
        registry: what there is at all.
        policy: what is allowed.
        service: what carries it out.
        permissions: what web users may do.
        bodies: checks what is to be written.
        rate: limits service actions.
        audit: what was done with records.
        prints: whether there is a report gateway.
    """

    _registry: Registry
    _policy: ProxyPolicy
    _service: ProxyService
    _permissions: Permissions
    _bodies: BodyChecker
    _rate: ServiceActionRate
    _audit: AuditStore
    _prints: bool = field(kw_only=True)

    async def list_resources(self, request: Request) -> Response:
        """Answer what the caller may use; asks nobody."""
        return json_response(offer(self._registry, self._allows(request), prints=self._prints))

    async def list_records(self, request: Request) -> Response:
        """Answer a page of records, or all of them as a file."""
        values, query = split_query(request.scope["query_string"])
        options = read_export_options(request.headers.get("accept", ""), values)
        asked = attrs.evolve(self._asked(request), query=query)
        if options is not None:
            return await self._export_records(request, asked, options)
        plan = self._policy.plan_list(asked)
        note_resource(request)
        with upstream_calls(request) as caller:
            return _list_answer(request, await self._service.list(plan, caller))

    async def _export_records(
        self, request: Request, asked: ClientRequest, options: ExportOptions
    ) -> Response:
        plan = self._policy.plan_export(asked, most=self._service.most_exported)
        note_resource(request)
        if request.method == "HEAD":  # nobody would see the rows
            answer = Response(headers={"Content-Type": options.format.media_type})
            del answer.headers["content-length"]  # of the rows, which nobody has counted
            return answer
        check = lasting_right(request, partial(self._policy.check_readable, asked))
        with upstream_calls(request) as caller:
            opened = await self._service.export(plan, options, caller, actor_of(request), check)
        return ExportResponse(opened)

    async def get_record(self, request: Request) -> Response:
        """Answer one record."""
        plan = self._policy.plan_record(self._asked(request, "key"))
        note_resource(request)
        with upstream_calls(request) as caller:
            return _record_answer(request, await self._service.get(plan, caller))

    async def get_history(self, request: Request) -> Response:
        """Answer what was done with a record through the gateway; asks the ERP nothing."""
        plan = self._policy.plan_history(self._asked(request, "key"))
        note_resource(request)
        reading = QueryReading(read_query(request))
        page = reading.number("page", MAX_PAGE, 1)
        page_size = reading.number("pageSize", MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE)
        reading.check()
        about = AuditFilter(resource=plan.target.resource.name, key=plan.key, not_result=AuditResult.DENIED)
        found = await self._audit.find(about, page=page, page_size=page_size)
        items = tuple(HistoryItem.of(each, plan.target.hidden) for each in found.entries)
        return json_response(History(items=items, page=page, page_size=page_size, total=found.total))

    async def post(self, request: Request) -> Response:
        """Create a record, or run a service action."""
        asked = self._asked(request)
        plan = self._policy.plan_post(asked)
        note_resource(request)
        if isinstance(plan, ServiceActionPlan):
            self._rate.take(session_of(request).web_user)
            target = WriteTarget(action=plan.action, optional=True)
        else:
            target = WriteTarget(resource=plan.target.resource)
        idempotency_key = read_idempotency_key(request.scope["headers"])
        body, fields = await self._read_write(request, asked, target)
        with upstream_calls(request) as caller:
            if isinstance(plan, ServiceActionPlan):
                return _reply_answer(
                    await self._service.query_action(plan, body, fields, caller, actor_of(request))
                )
            context = WriteContext(caller, actor_of(request), idempotency_key)
            return write_answer(request, await self._service.create(plan, body, fields, context))

    async def modify(self, request: Request) -> Response:
        """Change a record."""
        asked = self._asked(request, "key")
        plan = self._policy.plan_modify(asked)
        note_resource(request)
        idempotency_key = read_idempotency_key(request.scope["headers"])
        target = WriteTarget(resource=plan.target.resource, key=plan.key, is_change=True)
        body, fields = await self._read_write(request, asked, target)
        with upstream_calls(request) as caller:
            context = WriteContext(caller, actor_of(request), idempotency_key)
            return write_answer(request, await self._service.modify(plan, body, fields, context))

    async def act(self, request: Request) -> Response:
        """Run an action on a record."""
        asked = self._asked(request, "key", "action")
        plan = self._policy.plan_action(asked)
        note_resource(request)
        idempotency_key = read_idempotency_key(request.scope["headers"])
        target = WriteTarget(resource=plan.target.resource, key=plan.key, optional=True)
        body, fields = await self._read_write(request, asked, target)
        with upstream_calls(request) as caller:
            context = WriteContext(caller, actor_of(request), idempotency_key)
            return write_answer(request, await self._service.act(plan, body, fields, context))

    async def _read_write(
        self, request: Request, asked: ClientRequest, target: WriteTarget
    ) -> tuple[bytes, SentFields]:
        """Read a write's body; return it with the names of its fields once the caller may write it."""
        body = await read_body(request, optional=target.optional)
        checked = await self._bodies.check(body, target)
        self._policy.check_references(asked, checked.references)
        return body, checked.fields

    async def refuse_on_collection(self, request: Request) -> Response:
        """Refuse a method that no resource has."""
        self._policy.refuse_collection_method(path_param(request, "resource"))

    async def refuse_on_record(self, request: Request) -> Response:
        """Refuse a method that no record has."""
        self._policy.refuse_record_method(path_param(request, "resource"))

    async def refuse_on_action(self, request: Request) -> Response:
        """Refuse a method that no action has."""
        self._policy.refuse_action_method(path_param(request, "resource"), path_param(request, "action"))

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of the proxy."""
        return [
            Endpoint(
                "GET",
                "/api/sl",
                self.list_resources,
                access=Access.SESSION,
                summary="What this user may use of the ERP",
                description="Filtered by the caller's permissions; the ERP is not asked.",
                responses={200: _OFFER_ANSWER},
            ),
            Endpoint(
                "GET",
                _COLLECTION,
                self.list_records,
                access=Access.PROXY,
                summary="List records",
                path_params=_RESOURCE,
                query=_LIST_QUERY,
                headers=_READ_HEADERS,
                responses={200: _LIST_ANSWER},
                description=_LIST_DESCRIPTION,
                errors=(*_LIST_ERRORS, *EXPORT_ERRORS, ExportChanged),
            ),
            Endpoint(
                "GET",
                _RECORD_PATH,
                self.get_record,
                access=Access.PROXY,
                summary="Read one record",
                path_params=RECORD,
                query=(_SELECT, _EXPAND),
                headers=_READ_HEADERS,
                responses={200: _RECORD_ANSWER},
                errors=(*_LIST_ERRORS, odata_errors.KeyBadValue),
            ),
            Endpoint(
                "GET",
                "/api/history/{resource}/{key}",
                self.get_history,
                access=Access.PROXY,
                summary="What was done with a record",
                description=_HISTORY_DESCRIPTION,
                path_params=RECORD,
                query=page_params("Entries"),
                responses={200: _HISTORY_ANSWER},
                errors=_HISTORY_ERRORS,
            ),
            Endpoint(
                "POST",
                _COLLECTION,
                self.post,
                access=Access.PROXY,
                summary="Create a record, or run a query-only service action",
                path_params=_RESOURCE_OR_ACTION,
                headers=(IDEMPOTENCY_KEY,),
                request=_NEW_RECORD,
                responses={
                    200: _ACTION_ANSWER,
                    201: _CREATED_ANSWER,
                    204: _DONE_ANSWER,
                },
                errors=_POST_ERRORS,
            ),
            Endpoint(
                "PATCH",
                _RECORD_PATH,
                self.modify,
                access=Access.PROXY,
                summary="Change a record",
                path_params=RECORD,
                headers=_MODIFY_HEADERS,
                request=Body(_OBJECT, {"Comments": "Entregar por la mañana"}),
                responses={204: Answer("Changed", headers=_REPLAYED)},
                errors=_MODIFY_ERRORS,
            ),
            Endpoint(
                "POST",
                _ACTION_PATH,
                self.act,
                access=Access.PROXY,
                summary="Run an action on a record",
                path_params=_ACTION,
                headers=(IDEMPOTENCY_KEY, _IF_MATCH),
                request=Body(_OBJECT, {}, required=False),
                responses={200: _ACTION_ANSWER, 204: _DONE_ANSWER},
                errors=(*ANY_WRITE, *ON_RECORD, errors.FieldNotWritable, errors.ActionNotRegistered),
            ),
            _others(_COLLECTION, self.refuse_on_collection, _RESOURCE),
            _others(_RECORD_PATH, self.refuse_on_record, RECORD),
            _others(_ACTION_PATH, self.refuse_on_action, _ACTION),
        ]

    def _asked(self, request: Request, *record: str) -> ClientRequest:
        """Return what the policy is to know; `record` names the path's parameters behind the resource."""
        return ClientRequest(
            name=path_param(request, "resource"),
            **{name: path_param(request, name) for name in record},
            query=request.scope["query_string"],
            headers=read_client_headers(request.scope["headers"]),
            allows=self._allows(request),
        )

    def _allows(self, request: Request) -> Allows:
        return partial(self._permissions.allows, session_of(request).web_user)


def note_resource(request: Request) -> None:
    """Name the resource in the request's log line; only once it is known to be a registered one."""
    request_facts(request.scope).extra["resource"] = path_param(request, "resource")


def _others(path: str, handler: Handler, path_params: Mapping[str, PathParam]) -> Endpoint:
    """Declare how the other methods of a path are refused: which it has depends on the resource."""
    return Endpoint(
        OTHER_METHODS,
        path,
        handler,
        access=Access.PROXY,
        summary="Refuse a method",
        path_params=path_params,
        responses={},
    )


def _list_answer(request: Request, told: CachedAnswer[ErpList]) -> Response:
    """Answer `{"value": […], "odata.count": n}` with the rows as they came."""
    page = told.answer
    body = b'{"value":%b,"odata.count":%d}' % (page.rows, page.count)
    return Response(body, media_type=_JSON, headers=_from_memory(request, told))


def _record_answer(request: Request, told: CachedAnswer[ErpRecord]) -> Response:
    """Answer one record, its entity tag as `ETag` too."""
    record = told.answer
    tag = {} if record.etag is None else {"ETag": record.etag}
    return Response(record.body, media_type=_JSON, headers={**tag, **_from_memory(request, told)})


def _from_memory(request: Request, told: CachedAnswer[ErpList] | CachedAnswer[ErpRecord]) -> dict[str, str]:
    """Return the headers that tell how old an answer from memory is; the log line says it, too."""
    if told.age_s is None:
        return {}
    facts = request_facts(request.scope)
    facts.cached = True
    headers = {"Age": str(int(told.age_s))}
    if told.stale:
        facts.extra["stale"] = True
        headers["X-ERP-Stale"] = "true"
    return headers


def write_answer(request: Request, answer: WriteAnswer) -> Response:
    """Answer a write as the ledger says, and tell whether it is the first time."""
    headers = dict(answer.headers)
    if answer.replayed:
        headers["Idempotency-Replayed"] = "true"
        request_facts(request.scope).extra["replayed"] = True
    media_type = answer.media_type if answer.body else None
    return Response(answer.body, status_code=answer.status, media_type=media_type, headers=headers)


def _reply_answer(reply: ErpReply) -> Response:
    """Answer an action without a record: 204, or 200 with what the ERP returned."""
    if reply.status == _NO_CONTENT or not reply.body:
        return Response(status_code=_NO_CONTENT)
    return Response(reply.body, media_type=_JSON)
