"""What a client's methods answer. Bodies are JSON bytes with every digit as the ERP sent it."""

from attrs import frozen


@frozen
class ErpList:
    """One page of records.

    Attributes:
        rows: a JSON array of objects.
        count: how many records match in all.
    """

    rows: bytes
    count: int


@frozen
class ErpRecord:
    """One record.

    Attributes:
        body: a JSON object.
        etag: its entity tag, ``W/"…"``; ``None`` where the ERP gives none or none that can be trusted.
        location: of a new record, where it is, below the service root: ``Orders(7)``; ``None`` where the ERP
            does not say, and of a record that was read.
    """

    body: bytes
    etag: str | None
    location: str | None = None


@frozen
class ErpRows:
    """One page of what a stored query found.

    Attributes:
        rows: a JSON array of objects.
        more: whether the ERP says that there are further rows.
    """

    rows: bytes
    more: bool


@frozen
class ErpReply:
    """What an action answered.

    Attributes:
        status: 200, 201 or 204.
        body: a JSON value, empty with 204.
    """

    status: int
    body: bytes


@frozen
class Ping:
    """What the balancer said when asked whether it lives.

    Attributes:
        status: the HTTP status.
        pong: whether it was the Service Layer's own balancer that answered.
    """

    status: int
    pong: bool
