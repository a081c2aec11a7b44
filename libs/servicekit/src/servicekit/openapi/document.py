"""Building the OpenAPI 3.1 document."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from servicekit.endpoint.declare import Endpoint
from servicekit.errors import ServiceError


@attrs.frozen(kw_only=True)
class SecurityScheme:
    """How one access kind shows in the document: the scheme's name and object, and the errors its check may answer."""

    name: str
    scheme: Mapping[str, Any]
    errors: tuple[type[ServiceError], ...] = ()


@attrs.frozen(kw_only=True)
class ApiInfo:
    """Title, version and description of the API, and how an access kind reads (None: public).

    Attributes:
        title: The API's name.
        version: The service's version.
        description: Markdown for the start of the page.
        security: Maps an endpoint to its scheme, None when it is public.
        access_note: Maps an endpoint to one line about who may call it, "" for none.
    """

    title: str
    version: str
    description: str = ""
    security: Callable[[Endpoint], SecurityScheme | None]
    access_note: Callable[[Endpoint], str] = lambda _endpoint: ""


def build_document(endpoints: Sequence[Endpoint], info: ApiInfo) -> dict[str, Any]:
    """Build the OpenAPI 3.1 document (JSON-ready)."""
    raise NotImplementedError
