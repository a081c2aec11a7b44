"""A query that may go upstream, and how it is written there."""

from enum import Enum

from attrs import frozen


class Dialect(Enum):
    """Version segment of the Service Layer's URL; it decides how a count is asked for."""

    V1 = "v1"
    V2 = "v2"


@frozen
class ListQuery:
    """Options of a list request.

    Made by :func:`erpclient.odata.parse_list_query` from a client's text, or directly by a program
    that vouches for what it writes (literals through :func:`erpclient.odata.quote_string`).

    Attributes:
        select: names (``ItemCode``), paths into an expanded collection (``ItemGroups/Number``) or ``*``;
            ``None`` for all properties.
        filter: condition in canonical form, not percent-encoded.
        orderby: ``Name``, ``Name asc`` or ``Name desc`` each.
        expand: navigation properties.
        top: largest number of rows to answer; also the page size to ask for.
        skip: rows to leave out at the start.
    """

    select: tuple[str, ...] | None = None
    filter: str | None = None
    orderby: tuple[str, ...] = ()
    expand: tuple[str, ...] = ()
    top: int = 50
    skip: int = 0

    def selects(self, name: str) -> bool:
        """Tell whether the answer holds this property without further additions."""
        raise NotImplementedError

    def encode(self, dialect: Dialect, add_select: tuple[str, ...] = ()) -> str:
        """Write the upstream query string, percent-encoded once, always with a count.

        Args:
            dialect: ``$inlinecount=allpages`` for v1, ``$count=true`` for v2.
            add_select: names to add to ``$select`` where there is one that lacks them.

        Returns:
            Options in a fixed order joined by ``&``, without a leading ``?``; ASCII.
        """
        raise NotImplementedError


@frozen
class RecordQuery:
    """Options of a request for one record: ``$select`` and ``$expand`` (as in :class:`ListQuery`)."""

    select: tuple[str, ...] | None = None
    expand: tuple[str, ...] = ()

    def selects(self, name: str) -> bool:
        """Tell whether the answer holds this property without further additions."""
        raise NotImplementedError

    def encode(
        self, dialect: Dialect, add_select: tuple[str, ...] = (), *, key_filter: str | None = None
    ) -> str:
        """Write the upstream query string, percent-encoded once; empty when there is nothing to say.

        Args:
            dialect: not needed today (both versions spell these options alike); kept for symmetry.
            add_select: names to add to ``$select`` where there is one that lacks them.
            key_filter: a key's ``filter()`` text, for reading the record as a list of at most one row
                when the ERP's web server does not take the key in a path.
        """
        raise NotImplementedError
