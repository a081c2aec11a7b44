"""Queries that may go upstream, as values that write their own query string."""

from enum import Enum

from attrs import field, frozen

from erpclient.odata.query_string import encode_value


class Dialect(Enum):
    """Version segment of the Service Layer's URL. It determines the form of a count request."""

    V1 = "v1"
    V2 = "v2"


@frozen
class _Selection:
    """Selection shared by both kinds of queries."""

    select: tuple[str, ...] | None = None

    def selects(self, name: str) -> bool:
        """Return whether the reply contains this property without an addition to ``$select``."""
        return self.select is None or name in self.select or "*" in self.select

    def leaves_unnamed(self, name: str) -> bool:
        """Return whether a ``$select`` exists that does not name this property; ``*`` does not name it."""
        return self.select is not None and name not in self.select

    def _options(self, add_select: tuple[str, ...]) -> list[str]:
        if self.select is None:
            return []
        added = [name for name in add_select if name not in self.select]
        return ["$select=" + encode_value(",".join([*self.select, *added]))]


@frozen
class ListQuery(_Selection):
    """Options of a list request.

    Created by :func:`erpclient.odata.parse_list_query` from a client's text, or directly by a program that
    guarantees its values (literals through :func:`erpclient.odata.quote_string`).

    Attributes:
        select: names (``ItemCode``), paths into an expanded collection (``ItemGroups/Number``) or ``*``;
            ``None`` for all properties.
        filter: condition in canonical form, not percent-encoded.
        orderby: ``Name``, ``Name asc`` or ``Name desc`` each.
        expand: navigation properties.
        top: maximum number of rows; also the requested page size.
        skip: number of rows to skip.
    """

    filter: str | None = None
    orderby: tuple[str, ...] = ()
    expand: tuple[str, ...] = ()
    top: int = 50
    skip: int = 0
    _written: dict[tuple[str, ...], str] = field(factory=dict, init=False, eq=False, repr=False)

    def encode(self, dialect: Dialect, add_select: tuple[str, ...] = ()) -> str:
        """Write the upstream query string, percent-encoded once, always with a count.

        With a ``$select``, the entity tags of the reply are only correct if it names ``DataVersion`` (seen
        live on Service Layer 1000340); use ``add_select`` for that. ``*`` does not count as naming it, but
        names are allowed together with it (SAP's manual shows ``$select=*,BusinessPartner``).

        Args:
            dialect: ``$inlinecount=allpages`` for v1, ``$count=true`` for v2.
            add_select: names to add to an existing ``$select``.

        Returns:
            options in a fixed order joined by ``&``, without a leading ``?``; ASCII.
        """
        options = self._written.get(add_select)
        if options is None:
            options = self._written[add_select] = self._write(add_select)
        count = "$count=true" if dialect is Dialect.V2 else "$inlinecount=allpages"
        return f"{options}&{count}"

    def _write(self, add_select: tuple[str, ...]) -> str:
        options = self._options(add_select)
        if self.filter is not None:
            options.append("$filter=" + encode_value(self.filter))
        if self.orderby:
            options.append("$orderby=" + encode_value(",".join(self.orderby)))
        if self.expand:
            options.append("$expand=" + encode_value(",".join(self.expand)))
        options.append(f"$top={self.top}")
        if self.skip:
            options.append(f"$skip={self.skip}")
        return "&".join(options)


@frozen
class RecordQuery(_Selection):
    """Options of a request for one record.

    Attributes:
        select: as of :class:`ListQuery`.
        expand: as of :class:`ListQuery`.
    """

    expand: tuple[str, ...] = ()

    def encode(
        self,
        dialect: Dialect,  # noqa: ARG002 - both versions spell these options alike; one signature for both queries
        add_select: tuple[str, ...] = (),
        *,
        key_filter: str | None = None,
    ) -> str:
        """Write the upstream query string, percent-encoded once; empty without options.

        Args:
            dialect: as for :meth:`ListQuery.encode`; it makes no difference here.
            add_select: names to add to ``$select``, as for :meth:`ListQuery.encode`.
            key_filter: a key's ``filter()`` text, to read the record as a list of at most one row where the
                ERP's web server rejects the key in a path.
        """
        options = self._options(add_select)
        if key_filter is not None:
            options.append("$filter=" + encode_value(key_filter))
        if self.expand:
            options.append("$expand=" + encode_value(",".join(self.expand)))
        if key_filter is not None:
            options.append("$top=1")
        return "&".join(options)
