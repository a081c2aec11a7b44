"""`/api/sl` and `/api/history`: HTTP in and out of the proxy. `policy` has all rules."""

from collections.abc import Mapping
from functools import partial

import attrs
from attrs import define, field
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.audit.query import QueryParser
from erp_gateway.audit.store import AuditFilter, AuditStore
from erp_gateway.files.exports.errors import EXPORT_ERRORS, ExportChanged
from erp_gateway.files.exports.options import ExportOptions, read_export_options, split_query
from erp_gateway.files.exports.response import ExportResponse
from erp_gateway.records.proxy.body.checker import BodyChecker, WriteTarget
from erp_gateway.records.proxy.client_headers import read_client_headers
from erp_gateway.records.proxy.client_request import Allows, ClientRequest
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.export.list_exporter import ListExporter
from erp_gateway.records.proxy.history import History, HistoryItem
from erp_gateway.records.proxy.offer import offer
from erp_gateway.records.proxy.plans import ServiceActionPlan
from erp_gateway.records.proxy.policy import ProxyPolicy
from erp_gateway.records.proxy.responses import (
    list_response,
    record_response,
    reply_response,
    write_response,
)
from erp_gateway.records.proxy.service import ProxyService, WriteContext
from erp_gateway.records.proxy.service_action_rate import ServiceActionRate
from erp_gateway.records.proxy.shapes import (
    ACTED_ANSWER,
    ACTION_ANSWER,
    ACTION_BODY,
    ACTION_DESCRIPTION,
    ACTION_ERRORS,
    ACTION_PARAMS,
    ACTION_PATH,
    CHANGE_BODY,
    CHANGED_ANSWER,
    COLLECTION_PATH,
    CREATED_ANSWER,
    DONE_ANSWER,
    EXPAND,
    HISTORY_ANSWER,
    HISTORY_DESCRIPTION,
    HISTORY_ERRORS,
    IDEMPOTENCY_KEY,
    IF_MATCH,
    LIST_ANSWER,
    LIST_DESCRIPTION,
    LIST_ERRORS,
    LIST_QUERY,
    MODIFY_ERRORS,
    MODIFY_HEADERS,
    NEW_RECORD_BODY,
    OFFER_ANSWER,
    POST_ERRORS,
    READ_HEADERS,
    RECORD_ANSWER,
    RECORD_PARAMS,
    RECORD_PATH,
    RESOURCE_OR_ACTION_PARAM,
    RESOURCE_PARAM,
    SELECT,
    SUMS_ANSWER,
    SUMS_DESCRIPTION,
    SUMS_PATH,
    SUMS_QUERY,
)
from erp_gateway.records.proxy.sums import SumReader
from erp_gateway.values.audit_event import AuditResult, SentFields
from erp_gateway.web import odata_errors
from erp_gateway.web.access import Access, Permissions, actor_of, lasting_right, session_of
from erp_gateway.web.requests import (
    DEFAULT_PAGE_SIZE,
    MAX_PAGE,
    MAX_PAGE_SIZE,
    note_resource,
    page_params,
    upstream_calls,
)
from erp_gateway.writes.idempotency_key import read_idempotency_key
from servicekit.endpoint import (
    OTHER_METHODS,
    Endpoint,
    Handler,
    PathParam,
    json_response,
    path_param,
    read_body,
    read_query,
)


@define(eq=False, repr=False)
class ProxyEndpoints:
    """Handlers of the proxy.

    Args:
        registry: the registered resources and service actions.
        policy: turns requests into plans.
        service: carries out plans.
        exports: makes files of lists.
        sums: reads sums over lists.
        permissions: rights of web users.
        bodies: checks bodies of writes.
        rate: limits service actions.
        audit: the history of records.
        prints: whether there is a report gateway.
    """

    _registry: Registry
    _policy: ProxyPolicy
    _service: ProxyService
    _exports: ListExporter
    _sums: SumReader
    _permissions: Permissions
    _bodies: BodyChecker
    _rate: ServiceActionRate
    _audit: AuditStore
    _prints: bool = field(kw_only=True)

    async def list_resources(self, request: Request) -> Response:
        """Answer the caller's resources and actions, without a call to the ERP."""
        return json_response(offer(self._registry, self._allows(request), prints=self._prints))

    async def list_records(self, request: Request) -> Response:
        """Answer a page of records, or all of them as a file."""
        values, query = split_query(request.scope["query_string"])
        options = read_export_options(request.headers.get("accept", ""), values)
        client_request = attrs.evolve(self._client_request(request), query=query)
        if options is not None:
            return await self._export_records(request, client_request, options)
        plan = self._policy.plan_list(client_request)
        note_resource(request, client_request.name)
        with upstream_calls(request) as caller:
            return list_response(request, await self._service.list(plan, caller))

    async def get_sums(self, request: Request) -> Response:
        """Answer sums over all records of a filter."""
        plan = self._policy.plan_sums(self._client_request(request))
        note_resource(request, plan.target.resource.name)
        with upstream_calls(request) as caller:
            return json_response(await self._sums.read(plan, caller))

    async def _export_records(
        self, request: Request, client_request: ClientRequest, options: ExportOptions
    ) -> Response:
        plan = self._policy.plan_export(client_request, max_rows=self._exports.max_rows)
        note_resource(request, client_request.name)
        if request.method == "HEAD":  # without reading the rows the length is unknown
            response = Response(headers={"Content-Type": options.format.media_type})
            del response.headers["content-length"]
            return response
        check = lasting_right(request, partial(self._policy.check_readable, client_request))
        with upstream_calls(request) as caller:
            export = await self._exports.open(plan, options, caller, actor_of(request), check)
        return ExportResponse(export)

    async def get_record(self, request: Request) -> Response:
        """Answer one record."""
        client_request = self._client_request(request, "key")
        plan = self._policy.plan_record(client_request)
        note_resource(request, client_request.name)
        with upstream_calls(request) as caller:
            return record_response(request, await self._service.get(plan, caller))

    async def get_history(self, request: Request) -> Response:
        """Answer the history of a record in the gateway, without a call to the ERP."""
        client_request = self._client_request(request, "key")
        plan = self._policy.plan_history(client_request)
        note_resource(request, client_request.name)
        reading = QueryParser(read_query(request))
        page = reading.number("page", MAX_PAGE, 1)
        page_size = reading.number("pageSize", MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE)
        reading.check()
        conditions = AuditFilter(
            resource=plan.target.resource.name, key=plan.key, not_result=AuditResult.DENIED
        )
        found = await self._audit.find(conditions, page=page, page_size=page_size)
        items = tuple(HistoryItem.of(each, plan.target.hidden) for each in found.entries)
        return json_response(History(items=items, page=page, page_size=page_size, total=found.total))

    async def post(self, request: Request) -> Response:
        """Create a record, or run a service action."""
        client_request = self._client_request(request)
        plan = self._policy.plan_post(client_request)
        note_resource(request, client_request.name)
        if isinstance(plan, ServiceActionPlan):
            self._rate.take(session_of(request).user.name)
            target = WriteTarget(action=plan.action, optional=True)
        else:
            target = WriteTarget(resource=plan.target.resource)
        idempotency_key = read_idempotency_key(request.scope["headers"])
        body, fields = await self._read_body(request, client_request, target)
        with upstream_calls(request) as caller:
            if isinstance(plan, ServiceActionPlan):
                return reply_response(
                    await self._service.query_action(plan, body, fields, caller, actor_of(request))
                )
            context = WriteContext(caller, actor_of(request), idempotency_key)
            return write_response(request, await self._service.create(plan, body, fields, context))

    async def modify(self, request: Request) -> Response:
        """Change a record."""
        client_request = self._client_request(request, "key")
        plan = self._policy.plan_modify(client_request)
        note_resource(request, client_request.name)
        idempotency_key = read_idempotency_key(request.scope["headers"])
        target = WriteTarget(resource=plan.target.resource, key=plan.key, is_change=True)
        body, fields = await self._read_body(request, client_request, target)
        with upstream_calls(request) as caller:
            context = WriteContext(caller, actor_of(request), idempotency_key)
            return write_response(request, await self._service.modify(plan, body, fields, context))

    async def act(self, request: Request) -> Response:
        """Run an action on a record."""
        client_request = self._client_request(request, "key", "action")
        plan = self._policy.plan_action(client_request)
        note_resource(request, client_request.name)
        idempotency_key = read_idempotency_key(request.scope["headers"])
        target = WriteTarget(resource=plan.target.resource, key=plan.key, optional=True)
        body, fields = await self._read_body(request, client_request, target)
        with upstream_calls(request) as caller:
            context = WriteContext(caller, actor_of(request), idempotency_key)
            return write_response(request, await self._service.act(plan, body, fields, context))

    async def _read_body(
        self, request: Request, client_request: ClientRequest, target: WriteTarget
    ) -> tuple[bytes, SentFields]:
        """Read and check the body of a write; return it with the names of its fields."""
        body = await read_body(request, optional=target.optional)
        checked = await self._bodies.check(body, target)
        self._policy.check_references(client_request, checked.references)
        return body, checked.fields

    async def refuse_on_collection(self, request: Request) -> Response:
        """Refuse any other method on a collection."""
        self._policy.refuse_collection_method(path_param(request, "resource"))

    async def refuse_on_record(self, request: Request) -> Response:
        """Refuse any other method on a record."""
        self._policy.refuse_record_method(path_param(request, "resource"))

    async def refuse_on_action(self, request: Request) -> Response:
        """Refuse any other method on an action."""
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
                description="Filtered by the caller's permissions, without a call to the ERP.",
                responses={200: OFFER_ANSWER},
            ),
            Endpoint(
                "GET",
                COLLECTION_PATH,
                self.list_records,
                access=Access.PROXY,
                summary="List records",
                path_params=RESOURCE_PARAM,
                query=LIST_QUERY,
                headers=READ_HEADERS,
                responses={200: LIST_ANSWER},
                description=LIST_DESCRIPTION,
                errors=(*LIST_ERRORS, *EXPORT_ERRORS, ExportChanged),
            ),
            Endpoint(
                "GET",
                RECORD_PATH,
                self.get_record,
                access=Access.PROXY,
                summary="Read one record",
                path_params=RECORD_PARAMS,
                query=(SELECT, EXPAND),
                headers=READ_HEADERS,
                responses={200: RECORD_ANSWER},
                errors=(*LIST_ERRORS, odata_errors.KeyBadValue),
            ),
            Endpoint(
                "GET",
                SUMS_PATH,
                self.get_sums,
                access=Access.PROXY,
                summary="Add up the columns of a list",
                description=SUMS_DESCRIPTION,
                path_params=RESOURCE_PARAM,
                query=SUMS_QUERY,
                headers=READ_HEADERS,
                responses={200: SUMS_ANSWER},
                errors=LIST_ERRORS,
            ),
            Endpoint(
                "GET",
                "/api/history/{resource}/{key}",
                self.get_history,
                access=Access.PROXY,
                summary="What was done with a record",
                description=HISTORY_DESCRIPTION,
                path_params=RECORD_PARAMS,
                query=page_params("Entries"),
                responses={200: HISTORY_ANSWER},
                errors=HISTORY_ERRORS,
            ),
            Endpoint(
                "POST",
                COLLECTION_PATH,
                self.post,
                access=Access.PROXY,
                summary="Create a record, or run a query-only service action",
                path_params=RESOURCE_OR_ACTION_PARAM,
                headers=(IDEMPOTENCY_KEY,),
                request=NEW_RECORD_BODY,
                responses={
                    200: ACTION_ANSWER,
                    201: CREATED_ANSWER,
                    204: DONE_ANSWER,
                },
                errors=POST_ERRORS,
            ),
            Endpoint(
                "PATCH",
                RECORD_PATH,
                self.modify,
                access=Access.PROXY,
                summary="Change a record",
                path_params=RECORD_PARAMS,
                headers=MODIFY_HEADERS,
                request=CHANGE_BODY,
                responses={204: CHANGED_ANSWER},
                errors=MODIFY_ERRORS,
            ),
            Endpoint(
                "POST",
                ACTION_PATH,
                self.act,
                access=Access.PROXY,
                summary="Run an action on a record",
                description=ACTION_DESCRIPTION,
                path_params=ACTION_PARAMS,
                headers=(IDEMPOTENCY_KEY, IF_MATCH),
                request=ACTION_BODY,
                responses={200: ACTED_ANSWER, 204: DONE_ANSWER},
                errors=ACTION_ERRORS,
            ),
            _others(COLLECTION_PATH, self.refuse_on_collection, RESOURCE_PARAM),
            _others(RECORD_PATH, self.refuse_on_record, RECORD_PARAMS),
            _others(ACTION_PATH, self.refuse_on_action, ACTION_PARAMS),
        ]

    def _client_request(self, request: Request, *path_params: str) -> ClientRequest:
        """Return the request for the policy; `path_params` names the path's parameters after the resource."""
        return ClientRequest(
            name=path_param(request, "resource"),
            **{name: path_param(request, name) for name in path_params},
            query=request.scope["query_string"],
            headers=read_client_headers(request.scope["headers"]),
            allows=self._allows(request),
        )

    def _allows(self, request: Request) -> Allows:
        return partial(self._permissions.allows, session_of(request).user.name)


def _others(path: str, handler: Handler, path_params: Mapping[str, PathParam]) -> Endpoint:
    """Declare the refusal of the other methods of a path. The allowed ones depend on the resource."""
    return Endpoint(
        OTHER_METHODS,
        path,
        handler,
        access=Access.PROXY,
        summary="Refuse a method",
        path_params=path_params,
        responses={},
    )
