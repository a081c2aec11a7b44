"""Idempotency keys of documents."""

import hashlib
from typing import Final

from supplier_returns.planning.model.planning import Planning


def planning_name(planning_id: int) -> str:
    """Return the common prefix of the keys of a planning."""
    return f"ODEV-{planning_id}-"


def document_name(planning_id: int, doc_id: int) -> str:
    """Return the common prefix of the keys of a document."""
    return f"{planning_name(planning_id)}{doc_id}-"


def name_of(key: str) -> str:
    """Return the prefix of a key, which all keys of its document share."""
    return key.rpartition("-")[0] + "-"


KEY_DIGITS: Final = 8
"""Hexadecimal digits at the end of a key."""


def new_key(planning: Planning, doc_id: int) -> str:
    """Create the key of a document: unique, readable, at most 50 characters.

    The digits follow from the record's version, which every execution increments. If two processes execute
    the same version at once, they use the same key, and the fence lets only one of them create the return.
    """
    version = f"{planning.id} {doc_id} {planning.version} {planning.created_by} {planning.created_at}"
    digest = hashlib.sha256(version.encode()).hexdigest()
    return document_name(planning.id, doc_id) + digest[:KEY_DIGITS]
