"""The OpenAPI 3.1 document of the endpoints, and a page to read and try it."""

from servicekit.openapi.document import ApiInfo, SecurityScheme, build_document
from servicekit.openapi.endpoints import with_documentation

__all__ = ["ApiInfo", "SecurityScheme", "build_document", "with_documentation"]
