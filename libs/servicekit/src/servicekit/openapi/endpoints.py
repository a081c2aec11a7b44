"""The two endpoints that publish the document."""

from collections.abc import Sequence

from servicekit.endpoint.declare import Endpoint
from servicekit.openapi.document import ApiInfo


def with_documentation(
    endpoints: Sequence[Endpoint],
    info: ApiInfo,
    *,
    access: object,
    document_path: str = "/api/openapi.json",
    page_path: str = "/api/docs",
) -> list[Endpoint]:
    """Return the endpoints plus two more: the document of all of them, and the page that shows it.

    Args:
        endpoints: The service's endpoints.
        info: Title, version and how access reads.
        access: The access kind of the two.
        document_path: Where the document is.
        page_path: Where the page is; both must share their folder.
    """
    raise NotImplementedError
