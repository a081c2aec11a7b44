"""Query options of one request."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from erpsim.records import Dialect


@attrs.frozen(kw_only=True)
class QueryOptions:
    """Query options as sent, not yet checked against an entity set.

    Args:
        filter, select, orderby, expand: the texts, decoded once; None when not sent.
        top, skip: non-negative numbers; None when not sent.
        inline_count: `$inlinecount=allpages` or `$count=true`.
        page_size: what the headers `Prefer: odata.maxpagesize` or `B1S-PageSize` ask for; 0 switches paging
            off; None leaves the company's page size.
    """

    filter: str | None = None
    select: str | None = None
    orderby: str | None = None
    expand: str | None = None
    top: int | None = None
    skip: int | None = None
    inline_count: bool = False
    page_size: int | None = None

    @classmethod
    def parse(
        cls, pairs: Iterable[tuple[str, str]], dialect: Dialect, *, page_size: int | None = None
    ) -> QueryOptions:
        """Read the decoded name-value pairs of an address's query.

        Raises:
            SlError: 400 for a bad number or count option; 501 for `$apply`, `$search`, `$skiptoken`.
        """
        raise NotImplementedError
