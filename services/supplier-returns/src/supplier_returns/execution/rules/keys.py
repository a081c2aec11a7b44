"""Idempotency keys of documents: their names, and how they are made."""

import hashlib
from typing import Final

from supplier_returns.planning.model.planning import Planning


def planning_name(planning_id: int) -> str:
    """Return what the keys of every document of a planning begin with."""
    return f"ODEV-{planning_id}-"


def document_name(planning_id: int, doc_id: int) -> str:
    """Return what the keys of a document begin with."""
    return f"{planning_name(planning_id)}{doc_id}-"


def name_of(key: str) -> str:
    """Return the part of a key that names the document; its other keys begin with it too."""
    return key.rpartition("-")[0] + "-"


KEY_DIGITS: Final = 8


def new_key(planning: Planning, doc_id: int) -> str:
    """Make the key of a document: unique, readable, at most 50 characters.

    Its last part follows from the version of the record, which every execution raises. Two processes that
    execute the same version at once then use the same key, and the fence lets one of them make the return.
    """
    version = f"{planning.id} {doc_id} {planning.version} {planning.created_by} {planning.created_at}"
    digest = hashlib.sha256(version.encode()).hexdigest()
    return document_name(planning.id, doc_id) + digest[:KEY_DIGITS]
