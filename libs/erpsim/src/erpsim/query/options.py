"""Query options of one request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from erpsim.company.errors import NotSimulatedError, bad_option
from erpsim.company.exchange import Dialect

_NUMBER = re.compile(r"[0-9]{1,10}", re.ASCII)


@attrs.frozen(kw_only=True)
class QueryOptions:
    """Query options as sent, not yet checked against an entity set.

    Args:
        apply, filter, select, orderby, expand: the texts, decoded once; None when not sent.
        top, skip: non-negative numbers; None when not sent.
        inline_count: `$inlinecount=allpages` or `$count=true`.
        page_size: value of `Prefer: odata.maxpagesize` or `B1S-PageSize`; 0 disables paging; None for the
            company's page size.
    """

    apply: str | None = None
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

        Names without `$` are no options of the protocol and ignored (OData: custom options).

        Raises:
            SlError: 400 for a bad number, a bad count option, an option given twice or unknown; 501 for
                `$search` and others that the simulator does not read.
        """
        parsed: dict[str, Any] = {}
        for name, text in pairs:
            if not name.startswith("$"):
                continue
            if name in _NOT_SIMULATED:
                raise NotSimulatedError(f"the query option {name}")
            reader = _READERS.get(name)
            if reader is None or (name == "$count" and dialect is Dialect.V1):
                raise bad_option(name)
            field, read = reader
            if field in parsed:
                raise bad_option(name)
            parsed[field] = read(name, text)
        return cls(**parsed, page_size=page_size)


def _read_text(_name: str, text: str) -> str:
    return text


def _read_number(name: str, text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise bad_option(name)
    return int(text)


def _read_inline_count(name: str, text: str) -> bool:
    # Anything but allpages and none is a 400 (SAP manual 1.22, 3.7.7.7); a .NET client sends it to v2 as
    # well.
    if text not in {"allpages", "none"}:
        raise bad_option(name)
    return text == "allpages"


def _read_count(name: str, text: str) -> bool:
    if text not in {"true", "false"}:
        raise bad_option(name)
    return text == "true"


_NOT_SIMULATED = frozenset({"$search", "$skiptoken", "$format", "$compute"})
_READERS: Mapping[str, tuple[str, Callable[[str, str], Any]]] = {
    "$apply": ("apply", _read_text),
    "$filter": ("filter", _read_text),
    "$select": ("select", _read_text),
    "$orderby": ("orderby", _read_text),
    "$expand": ("expand", _read_text),
    "$top": ("top", _read_number),
    "$skip": ("skip", _read_number),
    "$inlinecount": ("inline_count", _read_inline_count),
    "$count": ("inline_count", _read_count),
}
