"""`/api/sl`: HTTP in and out of the proxy. No rule lives here; `policy` has them all."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.cache import CachedAnswer
from erp_gateway.exports.errors import EXPORT_ERRORS, ExportChanged
from erp_gateway.exports.options import ExportOptions, read_export_options, split_query
from erp_gateway.exports.response import ExportResponse
from erp_gateway.ledger.idempotency import read_idempotency_key
from erp_gateway.ledger.writes import WriteAnswer
from erp_gateway.proxy import documentation as documented
from erp_gateway.proxy.body import BodyChecker
from erp_gateway.proxy.client_headers import read_client_headers
from erp_gateway.proxy.offer import offer
from erp_gateway.proxy.policy import Allows, ProxyPolicy, ServiceActionPlan
from erp_gateway.proxy.registry import Registry
from erp_gateway.proxy.service import ProxyService, WriteContext
from erp_gateway.web.access import Access, Permissions, actor_of, session_of
from erp_gateway.web.requests import upstream_calls
from erpclient import ErpList, ErpRecord, ErpReply
from servicekit.endpoint import (
    OTHER_METHODS,
    Endpoint,
    Handler,
    PathParam,
    json_response,
    path_param,
    read_body,
)
from servicekit.request_log import request_facts

_RESOURCES: Final = "/api/sl"
_COLLECTION: Final = "/api/sl/{resource}"
_RECORD: Final = "/api/sl/{resource}/{key}"
_ACTION: Final = "/api/sl/{resource}/{key}/{action}"
_JSON: Final = "application/json"
_NO_CONTENT: Final = 204


class ProxyEndpoints:
    """Handlers of the proxy.

    Args:
        registry: what there is at all.
        policy: what is allowed.
        service: what carries it out.
        permissions: what web users may do.
        bodies: checks what is to be written.
        prints: whether there is a report gateway.
    """

    def __init__(
        self,
        registry: Registry,
        policy: ProxyPolicy,
        service: ProxyService,
        permissions: Permissions,
        bodies: BodyChecker,
        *,
        prints: bool,
    ) -> None:
        self._registry = registry
        self._policy = policy
        self._service = service
        self._permissions = permissions
        self._bodies = bodies
        self._prints = prints

    async def list_resources(self, request: Request) -> Response:
        """Answer what the caller may use; asks nobody."""
        return json_response(offer(self._registry, self._allows(request), prints=self._prints))

    async def list_records(self, request: Request) -> Response:
        """Answer a page of records, or all of them as a file."""
        scope = request.scope
        values, query = split_query(scope["query_string"])
        asked = read_export_options(request.headers.get("accept", ""), values)
        if asked is not None:
            return await self._export_records(request, query, asked)
        plan = self._policy.plan_list(
            path_param(request, "resource"),
            query,
            read_client_headers(scope["headers"]),
            self._allows(request),
        )
        _note_resource(request)
        with upstream_calls(request) as caller:
            return _list_answer(request, await self._service.list(plan, caller))

    async def _export_records(self, request: Request, query: bytes, options: ExportOptions) -> Response:
        plan = self._policy.plan_export(
            path_param(request, "resource"),
            query,
            read_client_headers(request.scope["headers"]),
            self._allows(request),
            most=self._service.most_exported,
        )
        _note_resource(request)
        if request.method == "HEAD":  # nobody would see the rows
            return Response(headers={"Content-Type": options.format.media_type})
        with upstream_calls(request) as caller:
            opened = await self._service.export(plan, options, caller, actor_of(request))
        return ExportResponse(opened)

    async def get_record(self, request: Request) -> Response:
        """Answer one record."""
        scope = request.scope
        plan = self._policy.plan_record(
            path_param(request, "resource"),
            path_param(request, "key"),
            scope["query_string"],
            read_client_headers(scope["headers"]),
            self._allows(request),
        )
        _note_resource(request)
        with upstream_calls(request) as caller:
            return _record_answer(request, await self._service.get(plan, caller))

    async def post(self, request: Request) -> Response:
        """Create a record, or run a service action."""
        scope = request.scope
        plan = self._policy.plan_post(
            path_param(request, "resource"),
            scope["query_string"],
            read_client_headers(scope["headers"]),
            self._allows(request),
        )
        _note_resource(request)
        service_action = isinstance(plan, ServiceActionPlan)
        idempotency_key = read_idempotency_key(scope["headers"])
        body = await read_body(request, optional=service_action)
        fields = await self._bodies.check(body, optional=service_action)
        with upstream_calls(request) as caller:
            if isinstance(plan, ServiceActionPlan):
                return _reply_answer(
                    await self._service.query_action(plan, body, fields, caller, actor_of(request))
                )
            context = WriteContext(caller, actor_of(request), idempotency_key)
            return _write_answer(request, await self._service.create(plan, body, fields, context))

    async def modify(self, request: Request) -> Response:
        """Change a record."""
        scope = request.scope
        plan = self._policy.plan_modify(
            path_param(request, "resource"),
            path_param(request, "key"),
            scope["query_string"],
            read_client_headers(scope["headers"]),
            self._allows(request),
        )
        _note_resource(request)
        idempotency_key = read_idempotency_key(scope["headers"])
        body = await read_body(request)
        fields = await self._bodies.check(body)
        with upstream_calls(request) as caller:
            context = WriteContext(caller, actor_of(request), idempotency_key)
            return _write_answer(request, await self._service.modify(plan, body, fields, context))

    async def act(self, request: Request) -> Response:
        """Run an action on a record."""
        scope = request.scope
        plan = self._policy.plan_action(
            path_param(request, "resource"),
            path_param(request, "key"),
            path_param(request, "action"),
            scope["query_string"],
            read_client_headers(scope["headers"]),
            self._allows(request),
        )
        _note_resource(request)
        idempotency_key = read_idempotency_key(scope["headers"])
        body = await read_body(request, optional=True)
        fields = await self._bodies.check(body, optional=True)
        with upstream_calls(request) as caller:
            context = WriteContext(caller, actor_of(request), idempotency_key)
            return _write_answer(request, await self._service.act(plan, body, fields, context))

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
                _RESOURCES,
                self.list_resources,
                access=Access.SESSION,
                summary="What this user may use of the ERP",
                description="Filtered by the caller's permissions; the ERP is not asked.",
                tag=documented.TAG,
                responses={200: documented.OFFER_ANSWER},
            ),
            Endpoint(
                "GET",
                _COLLECTION,
                self.list_records,
                access=Access.PROXY,
                summary="List records",
                tag=documented.TAG,
                path_params=documented.RESOURCE,
                query=documented.LIST_QUERY,
                headers=documented.READ_HEADERS,
                responses={200: documented.LIST_ANSWER},
                description=documented.LIST_DESCRIPTION,
                errors=(*documented.LIST_ERRORS, *EXPORT_ERRORS, ExportChanged),
            ),
            Endpoint(
                "GET",
                _RECORD,
                self.get_record,
                access=Access.PROXY,
                summary="Read one record",
                tag=documented.TAG,
                path_params=documented.RECORD,
                query=documented.RECORD_QUERY,
                headers=documented.READ_HEADERS,
                responses={200: documented.RECORD_ANSWER},
                errors=documented.RECORD_ERRORS,
            ),
            Endpoint(
                "POST",
                _COLLECTION,
                self.post,
                access=Access.PROXY,
                summary="Create a record, or run a query-only service action",
                tag=documented.TAG,
                path_params=documented.RESOURCE_OR_ACTION,
                headers=documented.CREATE_HEADERS,
                request=documented.NEW_RECORD,
                responses={
                    200: documented.ACTION_ANSWER,
                    201: documented.CREATED_ANSWER,
                    204: documented.DONE_ANSWER,
                },
                errors=documented.POST_ERRORS,
            ),
            Endpoint(
                "PATCH",
                _RECORD,
                self.modify,
                access=Access.PROXY,
                summary="Change a record",
                tag=documented.TAG,
                path_params=documented.RECORD,
                headers=documented.MODIFY_HEADERS,
                request=documented.CHANGES,
                responses={204: documented.MODIFIED_ANSWER},
                errors=documented.MODIFY_ERRORS,
            ),
            Endpoint(
                "POST",
                _ACTION,
                self.act,
                access=Access.PROXY,
                summary="Run an action on a record",
                tag=documented.TAG,
                path_params=documented.ACTION,
                headers=documented.ACTION_HEADERS,
                request=documented.PARAMETERS,
                responses={200: documented.ACTION_ANSWER, 204: documented.DONE_ANSWER},
                errors=documented.ACTION_ERRORS,
            ),
            _others(_COLLECTION, self.refuse_on_collection, documented.RESOURCE),
            _others(_RECORD, self.refuse_on_record, documented.RECORD),
            _others(_ACTION, self.refuse_on_action, documented.ACTION),
        ]

    def _allows(self, request: Request) -> Allows:
        return partial(self._permissions.allows, session_of(request).web_user)


def _note_resource(request: Request) -> None:
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
    return Response(record.body, media_type=_JSON, headers={**_tag(record), **_from_memory(request, told)})


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


def _write_answer(request: Request, answer: WriteAnswer) -> Response:
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


def _tag(record: ErpRecord) -> dict[str, str]:
    return {} if record.etag is None else {"ETag": record.etag}
