"""Reading path, query and presence of the client."""

from starlette.requests import Request


def path_param(request: Request, name: str) -> str:
    """Return a path parameter, percent-decoded exactly once.

    Raises:
        InvalidPath: Malformed escapes, not UTF-8, or a control character.
    """
    raise NotImplementedError


def read_query(request: Request) -> dict[str, str]:
    """Return the query parameters that the endpoint declares, decoded strictly.

    Raises:
        InvalidQuery: An undeclared name, a repeated one, a missing required one, or malformed escapes.
    """
    raise NotImplementedError


async def client_gone(request: Request) -> None:
    """Return when the client has closed the connection (for handlers that have read the body, or have none)."""
    raise NotImplementedError
