"""Values exchanged between the world and the HTTP side."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from decimal import Decimal
from typing import TypeAlias

import attrs

Value: TypeAlias = "str | int | Decimal | list[Value] | dict[str, Value] | None"
"""A property's value in a response: dates, times and enum members are text, `Edm.Double` is `Decimal`."""

Fields: TypeAlias = dict[str, Value]
Key: TypeAlias = tuple[str | int, ...]
"""Key values in the order of the entity type's key."""


class Dialect(enum.Enum):
    """The two OData generations of a server: `/b1s/v1` (OData 3) and `/b1s/v2` (OData 4)."""

    V1 = "v1"
    V2 = "v2"


class WriteMode(enum.Enum):
    """PATCH and MERGE change only the sent fields; PUT resets the others."""

    MERGE = "merge"
    REPLACE = "replace"


@attrs.frozen(kw_only=True)
class Caller:
    """User, OData generation and language of a call.

    Args:
        user: ERP user of the session.
        dialect: OData generation of the request.
        case_insensitive: the header `B1S-CaseInsensitive: true`.
    """

    user: str
    dialect: Dialect = Dialect.V1
    case_insensitive: bool = False


@attrs.frozen(kw_only=True)
class Entity:
    """One entity of a response.

    Args:
        fields: all or the selected properties, expanded navigation included, in the order of the metadata.
        key: the key between the brackets of an address, not percent-encoded: `22`, `'A''1'`,
            `TableName='@X',FieldID=0`.
        etag: tag for the body (`odata.etag`); None without one.
        header_etag: tag for the `ETag` header; None without one.
    """

    fields: Fields
    key: str
    etag: str | None = None
    header_etag: str | None = None


@attrs.frozen(kw_only=True)
class ListResult:
    """A page of entities.

    Args:
        rows: the page.
        count: number of all matches if requested, else None.
        next_skip: `$skip` of the next page, None on the last.
        next_top: remaining `$top` on the next page, None when no `$top` was sent or on the last page.
        header_etag: tag of a list's only row, if it is in the header instead of the row.
        page_size: rows a page holds, for `Preference-Applied`; 0 when paging is off.
    """

    rows: list[Entity]
    count: int | None = None
    next_skip: int | None = None
    next_top: int | None = None
    header_etag: str | None = None
    page_size: int = 0


@attrs.frozen(kw_only=True)
class ServiceReply:
    """Result of a service action.

    Args:
        value: an object, a list of objects, a plain value, or None (204).
        type_name: metadata type, for the context address: `SAPB1.CompanyInfo`, `Collection(SAPB1.Series)`.
    """

    value: Value
    type_name: str


Body: TypeAlias = Mapping[str, object]
"""A request body parsed with numbers as `int` or `Decimal`: `json.loads(text, parse_float=Decimal)`."""
