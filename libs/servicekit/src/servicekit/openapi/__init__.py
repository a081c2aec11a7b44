"""The OpenAPI 3.1 document of the endpoints, a page that shows it, and a validator of responses."""

from servicekit.openapi.conformance import ReceivedResponse, ResponseValidator
from servicekit.openapi.document import ApiInfo, SecurityScheme, build_document
from servicekit.openapi.endpoints import with_documentation

__all__ = [
    "ApiInfo",
    "ReceivedResponse",
    "ResponseValidator",
    "SecurityScheme",
    "build_document",
    "with_documentation",
]
