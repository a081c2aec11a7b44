"""For tests: in-process requests to an application, with responses validated against its document.

Needs `httpx2` and `openapi-schema-validator`, which services do not need.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import httpx2
from openapi_schema_validator import OAS31Validator
from starlette.types import ASGIApp
from typing_extensions import override

from servicekit.endpoint import Endpoint
from servicekit.openapi import ApiInfo, ReceivedResponse, ResponseValidator, build_document


def response_validator(document: Mapping[str, Any]) -> ResponseValidator:
    """Return the validator of an OpenAPI 3.1 document."""
    return ResponseValidator(document, _schema_problems)


_DESCRIBED = attrs.filters.exclude(attrs.fields(Endpoint).handler)


class ValidatorCache:
    """Caches validators by endpoints: most applications of a service publish the same document.

    Args:
        info: title, version and access of the service's document.
    """

    def __init__(self, info: ApiInfo) -> None:
        self._info = info
        self._validators: list[tuple[list[tuple[object, ...]], ResponseValidator]] = []

    def of(self, endpoints: Sequence[Endpoint]) -> ResponseValidator:
        """Return the validator of these endpoints, independent of their handlers."""
        published = [attrs.astuple(each, recurse=False, filter=_DESCRIBED) for each in endpoints]
        for cached, described in self._validators:
            if cached == published:
                return described
        described = response_validator(build_document(endpoints, self._info))
        self._validators.append((published, described))
        return described


class ValidatingTransport(httpx2.AsyncBaseTransport):
    """Sends requests to the application and fails the test if a response deviates from its description.

    Args:
        app: the application.
        described: validator of its document.
        ip: client address of the requests.
    """

    def __init__(self, app: ASGIApp, described: ResponseValidator, ip: str) -> None:
        self._inner = httpx2.ASGITransport(app=app, client=(ip, 50_000))
        self._described = described

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request and validate its response.

        Raises:
            AssertionError: the response deviates from the document.
        """
        response = await self._inner.handle_async_request(request)
        answered = ReceivedResponse(
            request.method,
            request.url.raw_path.partition(b"?")[0].decode("latin-1"),
            response.status_code,
            response.headers.get("Content-Type", ""),
            await response.aread(),
        )
        problems = self._described.problems(answered)
        if problems:
            raise AssertionError("\n".join(map(str, problems)))
        return response


def _schema_problems(schema: Mapping[str, Any], value: object) -> list[str]:
    return [error.message for error in OAS31Validator(schema).iter_errors(value)]
