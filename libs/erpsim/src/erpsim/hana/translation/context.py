"""Session state that a statement may read."""

import datetime as dt
from collections.abc import Mapping

from attrs import field, frozen


@frozen
class Context:
    """A session at the moment of a statement.

    Attributes:
        schema: The current one.
        user: The logged-in user.
        connection: The server's number of the connection.
        now: The server's local time, without a zone.
        utc: The same moment in UTC, without a zone.
        variables: Session variables set by the client.
    """

    schema: str
    user: str
    connection: int
    now: dt.datetime
    utc: dt.datetime
    variables: Mapping[str, str] = field(factory=dict)
