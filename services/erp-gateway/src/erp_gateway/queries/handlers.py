"""Handlers of registered queries, wherever their text runs, and the shapes of their endpoints."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.files.exports.options import read_export_options
from erp_gateway.files.exports.response import ExportResponse
from erp_gateway.queries.pages import Page
from erp_gateway.queries.registry import DeclaredQuery
from erp_gateway.queries.service import QueryService, Run
from erp_gateway.queries.shapes import (
    CountQuery,
    ParameterItem,
    QueriesAnswer,
    QueryCount,
    QueryItem,
    RunQuery,
)
from erp_gateway.values.parameters.declare import ReportParameter, shown_parameters
from erp_gateway.web.access import Permissions, actor_of, is_admin_request, lasting_right, session_of
from erp_gateway.web.requests import says_no_cache
from servicekit.endpoint import Body, PathParam, client_gone, json_response, path_param, read_json, read_query
from servicekit.endpoint.declare import HeaderParam
from servicekit.errors import FieldProblem, InvalidBody
from servicekit.request_log import request_facts

NAME_PARAM: Final = {"name": PathParam("Name of the query", "stock_by_warehouse")}

QUERIES_BODY: Final = Body(QueriesAnswer)
QUERY_BODY: Final = Body(QueryItem)
MAX_PARAMETERS_BYTES: Final = 256 * 1024
"""Ten texts at their longest, with every character of four bytes."""

RUN_HEADERS: Final = (
    HeaderParam("Cache-Control", "`no-cache`: the database is asked whatever is in memory", "no-cache"),
)
AGE_HEADER: Final = {
    "Age": "Seconds since the database was asked, where the answer is from memory (`cacheS`)"
}
_WHOLE_FILES: Final = "Un archivo lleva todas las filas; las páginas solo se piden sin archivo."

RUN_BODY: Final = Body(RunQuery)
COUNT_BODY: Final = Body(CountQuery)
TOTAL_BODY: Final = Body(QueryCount)
RESULT_BODY: Final = Body(
    {
        "type": "object",
        "required": ["rows", "truncated"],
        "additionalProperties": False,
        "properties": {
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
                },
            },
            "truncated": {"type": "boolean"},
            "nextOffset": {"type": ["integer", "null"]},
        },
    },
    {
        "rows": [{"ItemCode": "A0001", "OnHand": 12.5, "LastMove": "2026-02-11T00:00:00"}],
        "truncated": True,
        "nextOffset": 1500,
    },
)


class QueryHandlers:
    """Handlers of one service's queries.

    Args:
        service: runs the queries.
        permissions: rights of web users.
    """

    def __init__(self, service: QueryService, permissions: Permissions) -> None:
        self._service = service
        self._permissions = permissions

    async def list_queries(self, request: Request) -> Response:
        """List the queries that the user may run."""
        service = self._service
        permitted = service.permitted(self._allows(request))
        items = tuple(self._item(request, query, service.listed(query)) for query in permitted)
        return json_response(QueriesAnswer(items=items))

    async def query_form(self, request: Request) -> Response:
        """Return one query with its form."""
        query, parameters = await self._service.form(
            path_param(request, "name"), self._allows(request), actor_of(request)
        )
        return json_response(self._item(request, query, parameters))

    async def run_query(self, request: Request) -> Response:
        """Run a query and return its rows."""
        name = path_param(request, "name")
        self._service.check(name, self._allows(request))
        export_options = read_export_options(request.headers.get("accept", ""), read_query(request))
        body = await read_json(request, RunQuery)
        actor, disconnected = actor_of(request), partial(client_gone, request)
        page = Page(limit=body.limit, offset=body.offset)
        if export_options is not None:
            if page.is_requested:
                raise InvalidBody(errors=[FieldProblem("limit", _WHOLE_FILES)])
            check = lasting_right(request, partial(self._service.check, name, self._allows(request)))
            return ExportResponse(
                await self._service.export(
                    name, body.params, export_options, actor=actor, disconnected=disconnected, check=check
                )
            )
        bypass_cache = says_no_cache(request.headers.getlist("cache-control"))
        run = Run(name=name, params=body.params, page=page, bypass_cache=bypass_cache)
        cached = await self._service.run(run, actor=actor, disconnected=disconnected)
        headers = {}
        if cached.age_s is not None:
            request_facts(request.scope).cached = True
            headers["Age"] = str(int(cached.age_s))
        return Response(cached.answer.body, media_type="application/json", headers=headers)

    async def count_rows(self, request: Request) -> Response:
        """Count the rows of a query."""
        name = path_param(request, "name")
        self._service.check(name, self._allows(request))
        body = await read_json(request, CountQuery)
        total = await self._service.count(
            name, body.params, actor=actor_of(request), disconnected=partial(client_gone, request)
        )
        return json_response(QueryCount(total=total))

    def _allows(self, request: Request) -> Callable[[str], bool]:
        return partial(self._permissions.allows, session_of(request).user.name)

    def _item(
        self, request: Request, query: DeclaredQuery, parameters: Iterable[ReportParameter]
    ) -> QueryItem:
        shown_items = shown_parameters(parameters, to_administrator=is_admin_request(request))
        return QueryItem(
            name=query.name,
            title=query.title,
            parameters=tuple(
                ParameterItem(name=each.name, type=each.type, label=each.label, input=form.input)
                for each, form in zip(query.parameters, shown_items, strict=True)
            ),
            titles=dict(query.titles),
            measures=dict(query.measures),
            links=dict(query.links),
            chart=query.chart,
            max_rows=self._service.row_cap(query),
            paged=query.is_paged,
            cache_s=query.cache_s,
        )
