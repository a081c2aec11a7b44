"""The declaration of an endpoint."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import attrs
from starlette.requests import Request
from starlette.responses import Response

from servicekit.errors import ServiceError

Handler = Callable[[Request], Awaitable[Response]]

OTHER_METHODS: Final = "*"
"""Matches the methods for which a path has no endpoint."""

NO_BODY_BYTES: Final = 1024
"""Maximum body for an endpoint without one: some clients send `{}` with every request."""


@attrs.frozen
class Body:
    """Body of a request or a response.

    Attributes:
        shape: an attrs class (or another type such as `list[X]`), or a JSON Schema as a mapping.
        example: the body as JSON-ready value. None for one that the document generates from the shape; a
            JSON Schema needs one.
        media_type: the content type.
        required: whether a request must have it; for responses, whether it is always present.
    """

    shape: Any
    example: Any = None
    media_type: str = "application/json"
    required: bool = True

    def __attrs_post_init__(self) -> None:
        if self.example is None and isinstance(self.shape, Mapping):
            raise ValueError("a body with a JSON Schema needs an example")


@attrs.frozen
class Answer:
    """One successful response.

    Attributes:
        description: what it means.
        body: its body, None for an empty one.
        headers: the headers worth naming.
        others: bodies of other media types, for clients that ask for them.
    """

    description: str
    body: Body | None = None
    headers: Mapping[str, str] = attrs.field(factory=dict)
    others: tuple[Body, ...] = ()


@attrs.frozen
class PathParam:
    """A `{name}` of the path: description, example and JSON Schema."""

    description: str
    example: str | int
    schema: Mapping[str, Any] = attrs.field(factory=lambda: {"type": "string"})


@attrs.frozen
class QueryParam:
    """A query parameter: its exact name (also `$top`), description, example and JSON Schema."""

    name: str
    description: str
    example: Any = None
    schema: Mapping[str, Any] = attrs.field(factory=lambda: {"type": "string"})
    required: bool = False


@attrs.frozen
class HeaderParam:
    """A request header that the endpoint reads."""

    name: str
    description: str
    example: str
    schema: Mapping[str, Any] = attrs.field(factory=lambda: {"type": "string"})


@attrs.frozen(eq=False)
class Endpoint:
    """One method on one path, with its access, request, responses and errors.

    Attributes:
        method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`; a GET answers HEAD too. `*` matches all
            methods without an endpoint, so that the path's parameters can decide how they are rejected. It is
            not part of the API's description.
        path: the template; `{name}` stands for one whole, still encoded segment.
        handler: handles the request.
        access: the service's own access kind; its guard turns it into a check.
        summary: one line.
        description: more text, if one line is not enough.
        tag: the section of the documentation.
        path_params: one entry for each `{name}`.
        query: the query parameters.
        headers: the request headers the handler reads.
        request: its request body, None for none.
        responses: its successful answers by status.
        errors: error classes of its own; those every endpoint may answer are added by the document.
        max_body_bytes: maximum size of its request body; None for the application's limit. An endpoint
            without a body rejects more than `NO_BODY_BYTES`.
        is_polled: whether programs poll it every few seconds (a health check): its successful responses are
            counted and only logged at `debug`.
    """

    method: str
    path: str
    handler: Handler
    access: object = attrs.field(kw_only=True)
    summary: str = attrs.field(kw_only=True)
    description: str = attrs.field(default="", kw_only=True)
    tag: str = attrs.field(default="", kw_only=True)
    path_params: Mapping[str, PathParam] = attrs.field(factory=dict, kw_only=True)
    query: tuple[QueryParam, ...] = attrs.field(default=(), kw_only=True)
    headers: tuple[HeaderParam, ...] = attrs.field(default=(), kw_only=True)
    request: Body | None = attrs.field(default=None, kw_only=True)
    responses: Mapping[int, Answer] = attrs.field(kw_only=True)
    errors: tuple[type[ServiceError], ...] = attrs.field(default=(), kw_only=True)
    max_body_bytes: int | None = attrs.field(default=None, kw_only=True)
    is_polled: bool = attrs.field(default=False, kw_only=True)


Guard = Callable[[Endpoint], Handler]
"""Given an endpoint, the handler that first checks its access and then calls `endpoint.handler`."""
