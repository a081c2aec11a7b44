"""Building the OpenAPI 3.1 document."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from servicekit.endpoint.declare import OTHER_METHODS, Answer, Body, Endpoint, HeaderParam, QueryParam
from servicekit.endpoint.examples import NO_VOCABULARY, example_of
from servicekit.errors import (
    PROBLEM_MEDIA_TYPE,
    BodyTooLarge,
    InternalError,
    InvalidBody,
    InvalidPath,
    InvalidQuery,
    MalformedJson,
    RequestTimeout,
    ServiceError,
    ShuttingDown,
    UnsupportedMediaType,
)
from servicekit.openapi.schema import Schemas

MAY_BE_EMPTY: Final = "x-may-be-empty"
"""Marks a response that may come without its body."""

EXAMPLE_REQUEST_ID: Final = "01JB2V8M3N4P5Q6R7S8T9V0W1X"

_OF_EVERY_ENDPOINT: Final = (
    BodyTooLarge,
    InternalError,
    ShuttingDown,
)  # a client may send an unexpected body
_OF_EVERY_BODY: Final = (MalformedJson, RequestTimeout, UnsupportedMediaType)
_PROBLEM: Final = {
    "type": "object",
    "description": "The one body of every error (RFC 9457).",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What happened, in Spanish, for a person."},
        "message": {"type": "string", "description": "The same text as `detail`."},
        "code": {"type": "string", "description": "A stable word for programs."},
        "requestId": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "message": {"type": "string"}},
                "required": ["path", "message"],
            },
        },
        "upstream": {
            "type": "object",
            "description": "What the system behind the service said.",
            "properties": {"code": {"type": ["integer", "string", "null"]}, "message": {"type": "string"}},
            "required": ["code", "message"],
        },
    },
    "required": ["type", "title", "status", "detail", "message", "code", "requestId"],
    "additionalProperties": True,
}


@attrs.frozen(kw_only=True)
class SecurityScheme:
    """Security scheme of one access kind.

    Attributes:
        name: the scheme's name among the components.
        scheme: OpenAPI's security scheme object.
        errors: errors of the check.
    """

    name: str
    scheme: Mapping[str, Any]
    errors: tuple[type[ServiceError], ...] = ()


@attrs.frozen(kw_only=True)
class ApiInfo:
    """Title, version and security of the document.

    Attributes:
        title: the API's name.
        version: the service's version.
        description: Markdown for the start of the page.
        security: returns the scheme of an endpoint; None for a public one.
        access_note: returns one line about an endpoint's access; empty for none.
        vocabulary: values for generated examples, as `example_of` takes them.
    """

    title: str
    version: str
    description: str = ""
    security: Callable[[Endpoint], SecurityScheme | None]
    access_note: Callable[[Endpoint], str] = lambda _endpoint: ""
    vocabulary: Mapping[str, Any] = NO_VOCABULARY


def build_document(endpoints: Sequence[Endpoint], info: ApiInfo, *, server: str = "/") -> dict[str, Any]:
    """Build the OpenAPI 3.1 document (JSON-ready); endpoints for other methods are not part of it.

    Args:
        endpoints: the described endpoints.
        info: title, version and access.
        server: prefix of the paths for a client: a path such as `/returns`, or a full address.
    """
    schemas = Schemas()
    paths: dict[str, dict[str, Any]] = {}
    security_schemes: dict[str, Mapping[str, Any]] = {}
    for endpoint in endpoints:
        if endpoint.method == OTHER_METHODS:
            continue
        scheme = info.security(endpoint)
        if scheme is not None:
            security_schemes[scheme.name] = scheme.scheme
        operation = _operation(endpoint, info, scheme, schemas)
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": info.title, "version": info.version, "description": info.description},
        "servers": [{"url": server}],
        "paths": paths,
        "components": {
            "schemas": {"Problem": _PROBLEM, **schemas.components},
            "securitySchemes": security_schemes,
        },
    }


def _operation(
    endpoint: Endpoint, info: ApiInfo, scheme: SecurityScheme | None, schemas: Schemas
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": _operation_id(endpoint),
        "summary": endpoint.summary,
        "description": "\n\n".join(filter(None, (endpoint.description, info.access_note(endpoint)))),
        "tags": [endpoint.tag] if endpoint.tag else [],
        "parameters": list(_parameters(endpoint)),
        "responses": _responses(endpoint, info, scheme, schemas),
        "security": [] if scheme is None else [{scheme.name: []}],
    }
    if endpoint.request is not None:
        operation["requestBody"] = {
            "required": endpoint.request.required,
            "content": _content(endpoint.request, info, schemas),
        }
    return operation


def _operation_id(endpoint: Endpoint) -> str:
    words = endpoint.path.replace("{", "by_").replace("}", "").replace("-", "_").strip("/").replace("/", "_")
    return f"{endpoint.method.lower()}_{words.replace('.', '_')}"


def _parameters(endpoint: Endpoint) -> Iterator[dict[str, Any]]:
    for name, parameter in endpoint.path_params.items():
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "description": parameter.description,
            "schema": dict(parameter.schema),
            "example": parameter.example,
        }
    for query in endpoint.query:
        yield _parameter("query", query, required=query.required)
    for header in endpoint.headers:
        yield _parameter("header", header, required=False)


def _parameter(place: str, parameter: QueryParam | HeaderParam, *, required: bool) -> dict[str, Any]:
    described = {
        "name": parameter.name,
        "in": place,
        "required": required,
        "description": parameter.description,
        "schema": dict(parameter.schema),
    }
    return described if parameter.example is None else {**described, "example": parameter.example}


def _content(body: Body, info: ApiInfo, schemas: Schemas) -> dict[str, Any]:
    example = example_of(body.shape, info.vocabulary) if body.example is None else body.example
    return {body.media_type: {"schema": schemas.schema(body.shape), "example": example}}


def _responses(
    endpoint: Endpoint, info: ApiInfo, scheme: SecurityScheme | None, schemas: Schemas
) -> dict[str, Any]:
    responses = {
        str(status): _answer(response, info, schemas) for status, response in endpoint.responses.items()
    }
    by_status: dict[int, dict[str, type[ServiceError]]] = {}
    for error in _errors(endpoint, scheme):
        by_status.setdefault(error.status, {})[error.code] = error
    for status, errors in sorted(by_status.items()):
        responses[str(status)] = _refusals(list(errors.values()))
    return responses


def _refusals(errors: Sequence[type[ServiceError]]) -> dict[str, Any]:
    return {
        "description": " · ".join(f"`{error.code}`" for error in errors),
        "content": {
            PROBLEM_MEDIA_TYPE: {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": {
                    error.code: _example(error)  # type: ignore[arg-type]  # mypy looks at the instances' hash
                    for error in errors
                },
            }
        },
    }


@functools.cache
def _example(error: type[ServiceError]) -> Mapping[str, Any]:
    """Return an error's example; a hundred operations show the same few."""
    return {"value": error().body(EXAMPLE_REQUEST_ID)}


def _answer(response: Answer, info: ApiInfo, schemas: Schemas) -> dict[str, Any]:
    described: dict[str, Any] = {"description": response.description}
    if response.body is not None:
        described["content"] = {}
        for body in (response.body, *response.others):
            described["content"] |= _content(body, info, schemas)
        if not response.body.required:
            described[MAY_BE_EMPTY] = True
    if response.headers:
        described["headers"] = {
            name: {"description": text, "schema": {"type": "string"}}
            for name, text in response.headers.items()
        }
    return described


def _errors(endpoint: Endpoint, scheme: SecurityScheme | None) -> Iterator[type[ServiceError]]:
    yield from endpoint.errors
    if scheme is not None:
        yield from scheme.errors
    if endpoint.path_params:
        yield InvalidPath
    if endpoint.query:
        yield InvalidQuery
    if endpoint.request is not None:
        yield from _OF_EVERY_BODY
        if not isinstance(endpoint.request.shape, Mapping):
            yield InvalidBody
    yield from _OF_EVERY_ENDPOINT
