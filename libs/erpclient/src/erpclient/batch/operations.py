"""Writes that a change set can hold."""

from erpclient.http.calls import Call, action_call, create_call, modify_call

Operation = Call
"""One write. An ``If-Match`` has no place in it: inside a batch the ERP ignores it (seen live on 1000340)."""


def creation_of(resource: str, body: bytes) -> Operation:
    """Create a record.

    Args:
        resource: entity set.
        body: a JSON object, passed on as it is. It can't name what another operation of the set creates:
            ``$1`` is known in addresses only.
    """
    return create_call(resource, body)


def modification_of(
    resource: str, key_predicate: str, body: bytes, *, replace_collections: bool = False
) -> Operation:
    """Change some properties of a record.

    Args:
        resource: entity set.
        key_predicate: the key for the path, percent-encoded, with its parentheses.
        body: a JSON object, passed on as it is.
        replace_collections: whether collections in the body replace the stored ones instead of being merged
            into them. That the ERP honours this inside a batch is used in production by others, and
            documented nowhere.
    """
    return modify_call(resource, key_predicate, body, if_match=None, replace_collections=replace_collections)


def action_on(resource: str, key_predicate: str, action: str, body: bytes = b"") -> Operation:
    """Run an action on a record.

    Args:
        resource: entity set.
        key_predicate: the key for the path, percent-encoded, with its parentheses.
        action: its name, like ``Close``.
        body: a JSON object, or empty.
    """
    return action_call(resource, key_predicate, action, body, if_match=None)
