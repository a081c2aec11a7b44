"""`/api/change-sets`: several writes as one request."""

from functools import partial

from attrs import define
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.records.change_sets.planning import ChangeSetPlanner
from erp_gateway.records.change_sets.request import read_operations
from erp_gateway.records.change_sets.service import ChangeSetService
from erp_gateway.records.change_sets.shapes import ANSWER, BODY, DESCRIPTION, ERRORS
from erp_gateway.records.proxy.client_headers import read_client_headers
from erp_gateway.records.proxy.policy import check_plain_write
from erp_gateway.records.proxy.responses import write_response
from erp_gateway.records.proxy.service import WriteContext
from erp_gateway.records.proxy.shapes import IDEMPOTENCY_KEY
from erp_gateway.web.access import Access, Permissions, actor_of, session_of
from erp_gateway.web.requests import upstream_calls
from erp_gateway.writes.idempotency_key import read_idempotency_key
from servicekit.endpoint import Endpoint, read_body
from servicekit.request_log import request_facts


@define(eq=False, repr=False)
class ChangeSetEndpoints:
    """Handlers of change sets.

    Args:
        planner: turns operations into plans.
        service: carries out plans.
        permissions: rights of web users.
    """

    _planner: ChangeSetPlanner
    _service: ChangeSetService
    _permissions: Permissions

    async def run(self, request: Request) -> Response:
        """Carry out a change set."""
        check_plain_write(read_client_headers(request.scope["headers"]), request.scope["query_string"])
        idempotency_key = read_idempotency_key(request.scope["headers"])
        body = await read_body(request)
        operations = await read_operations(body)
        request_facts(request.scope).extra["operations"] = len(operations)
        planned = await self._planner.plan(
            operations, partial(self._permissions.allows, session_of(request).user.name)
        )
        with upstream_calls(request) as caller:
            context = WriteContext(caller, actor_of(request), idempotency_key)
            return write_response(request, await self._service.run(planned, body, context))

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of change sets."""
        return [
            Endpoint(
                "POST",
                "/api/change-sets",
                self.run,
                access=Access.PROXY,
                summary="Several writes, all or none",
                description=DESCRIPTION,
                headers=(IDEMPOTENCY_KEY,),
                request=BODY,
                responses={200: ANSWER},
                errors=ERRORS,
            )
        ]
