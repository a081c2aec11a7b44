"""Session state that a statement may read."""

import datetime as dt
from collections.abc import Mapping

from attrs import field, frozen


@frozen
class Context:
    """A session at the moment of a statement.

    Attributes:
        schema: the current one.
        user: the logged-in user.
        connection: the server's number of the connection.
        now: the server's local time, without a zone.
        utc: the same moment in UTC, without a zone.
        variables: session variables set by the client.
    """

    schema: str
    user: str
    connection: int
    now: dt.datetime
    utc: dt.datetime
    variables: Mapping[str, str] = field(factory=dict)
