"""Results of a client's methods. Bodies are JSON bytes with every digit as the ERP sent it."""

from attrs import frozen


@frozen
class ErpList:
    """One page of records.

    Attributes:
        rows: a JSON array of objects.
        count: number of all matching records.
    """

    rows: bytes
    count: int


@frozen
class ErpRecord:
    """One record.

    Attributes:
        body: a JSON object.
        etag: its entity tag, ``W/"…"``; ``None`` if the ERP sends none or an unreliable one.
        location: path of a new record below the service root: ``Orders(7)``; ``None`` if the ERP sends none,
            and for a record that was read.
    """

    body: bytes
    etag: str | None
    location: str | None = None


@frozen
class ErpRows:
    """One page of a stored query's result.

    Attributes:
        rows: a JSON array of objects.
        more: whether the ERP reports further rows.
    """

    rows: bytes
    more: bool


@frozen
class ErpReply:
    """Result of an action.

    Attributes:
        status: 200, 201 or 204.
        body: a JSON value, empty with 204.
    """

    status: int
    body: bytes


@frozen
class Ping:
    """Reply of the balancer to a ping.

    Attributes:
        status: the HTTP status.
        pong: whether the Service Layer's own balancer replied.
    """

    status: int
    pong: bool
