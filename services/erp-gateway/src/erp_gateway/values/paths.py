"""Paths of records in this service's own API."""

from urllib.parse import quote


def collection_path(resource: str) -> str:
    """Return the path of a resource, such as `/api/sl/Orders`."""
    return f"/api/sl/{resource}"


def record_path(resource: str, key: str) -> str:
    """Return the path of a record, with its key percent-encoded as one segment."""
    return f"{collection_path(resource)}/{quote(key, safe='')}"
