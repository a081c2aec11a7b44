"""Endpoints: one declaration of route, access, shapes and documentation, so they can't disagree.

```python
Endpoint(
    "PUT", "/api/permissions/{webUser}", self.replace,
    access=Access.ADMIN,
    summary="Replace a user's permissions",
    path_params={"webUser": PathParam("The web user", example="ana")},
    request=Body(PermissionsBody),
    responses={200: Answer("The permissions", Body(Permissions))},
    errors=(LastAdministrator,),
)
```

Without an `example`, a body's example is generated from its shape (`servicekit.endpoint.examples`).

Handlers are `async def handler(request: Request) -> Response`. In them: `path_param(request, "webUser")`,
`await read_json(request, PermissionsBody)`, `read_query(request)`, `json_response(value)`.
Attribute names are snake_case in code and camelCase in JSON, both ways.
"""

from servicekit.endpoint.app import AppSettings, create_app
from servicekit.endpoint.declare import (
    OTHER_METHODS,
    Answer,
    Body,
    Endpoint,
    Guard,
    Handler,
    PathParam,
    QueryParam,
)
from servicekit.endpoint.disconnect import client_gone, while_connected
from servicekit.endpoint.json_body import check_content_encoding, json_response, read_body, read_json
from servicekit.endpoint.request import path_param, path_texts, read_query
from servicekit.endpoint.shape_problems import InvalidValue
from servicekit.endpoint.strict_json import parse_json

__all__ = [
    "OTHER_METHODS",
    "Answer",
    "AppSettings",
    "Body",
    "Endpoint",
    "Guard",
    "Handler",
    "InvalidValue",
    "PathParam",
    "QueryParam",
    "check_content_encoding",
    "client_gone",
    "create_app",
    "json_response",
    "parse_json",
    "path_param",
    "path_texts",
    "read_body",
    "read_json",
    "read_query",
    "while_connected",
]
