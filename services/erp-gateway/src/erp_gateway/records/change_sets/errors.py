"""Refusals of change sets by themselves."""

from servicekit.errors import BadRequest


class NotInChangeSet(BadRequest):
    """An operation that a change set can't hold: a service action, or `CreateCancellationDocument`. Nothing
    was sent. Send it alone.
    """

    code = "not_in_change_set"
    detail = "Esta operación no se admite en un conjunto: envíela por separado."
