"""Writes of a change set."""

from erpclient.http.calls import Call, action_call, create_call, modify_call

Operation = Call
"""One write. It has no ``If-Match``, which the ERP ignores inside a batch (seen live on 1000340)."""


def creation_of(resource: str, body: bytes) -> Operation:
    """Create a record.

    Args:
        resource: entity set.
        body: a JSON object, passed on unchanged. It can't refer to a record that another operation of the set
            creates: ``$1`` works in addresses only.
    """
    return create_call(resource, body)


def modification_of(
    resource: str, key_predicate: str, body: bytes, *, replace_collections: bool = False
) -> Operation:
    """Change some properties of a record.

    Args:
        resource: entity set.
        key_predicate: the key for the path, percent-encoded, with its parentheses.
        body: a JSON object, passed on unchanged.
        replace_collections: whether collections in the body replace the stored ones instead of being merged
            into them. Other integrators use this inside a batch in production; it is not documented.
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
