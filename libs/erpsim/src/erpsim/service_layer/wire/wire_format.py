"""Differences of the two OData generations on the wire, as values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import attrs

from erpsim.company.errors import SlError
from erpsim.company.exchange import Dialect
from erpsim.service_layer.refusals import text_in_language
from erpsim.service_layer.wire.json_text import JsonValue


@attrs.frozen(kw_only=True)
class WireFormat:
    """Names, headers and forms of one generation.

    Sources: SAP manual 1.22/1.29, captured answers of both generations in public client libraries.

    Args:
        dialect: the generation.
        root: path of the service root.
        json_type: `Content-Type` of JSON answers.
        error_type: `Content-Type` of refusals.
        version: the version header of every answer below the root.
        annotation: prefix of `etag`, `count`, `nextLink`, `null`.
        context: name of the member with the metadata address.
        entity_suffix: suffix of the set's name in the metadata address of one entity.
        batch_status: status of an executed batch, even of a failed one.
        count_as_text: whether the inline count is a string.
        content_id_in_part_header: whether a batch echoes `Content-ID` in the MIME part (else in the answer).
        content_id_required: whether each request of a change set needs one.
        rooted_next_link: whether a next link starts at the web server's root (else at the service root).
    """

    dialect: Dialect
    root: str
    json_type: str
    error_type: str
    version: tuple[str, str]
    annotation: str
    context: str
    entity_suffix: str
    batch_status: int
    count_as_text: bool
    content_id_in_part_header: bool
    content_id_required: bool
    rooted_next_link: bool

    def annotated(self, name: str) -> str:
        """Return the full name of an annotation: `etag` is `odata.etag` or `@odata.etag`."""
        return self.annotation + name

    def error_value(self, error: SlError, *, language: int | None = None, inner: bool = False) -> JsonValue:
        """Return the error envelope.

        Args:
            error: the refusal.
            language: `Language` of the session's login; only the text follows it.
            inner: whether v1 adds `innererror`, as in batches and property reads (manual 1.22, 3.10, 3.11).
        """
        text = text_in_language(error.text, language)
        if self.dialect is Dialect.V2:
            details = [{"code": "", "message": ""}]
            return {"error": {"code": str(error.code), "details": details, "message": text}}
        envelope: dict[str, JsonValue] = {"code": error.code}
        if inner:
            envelope["innererror"] = {"context": None, "trace": None}
        envelope["message"] = {"lang": "en-us", "value": text}
        return {"error": envelope}


V1_FORMAT: Final = WireFormat(
    dialect=Dialect.V1,
    root="/b1s/v1",
    json_type="application/json;odata=minimalmetadata;charset=utf-8",
    error_type="application/json;odata=minimalmetadata;charset=utf-8",
    version=("DataServiceVersion", "3.0"),
    annotation="odata.",
    context="odata.metadata",
    entity_suffix="/@Element",
    batch_status=202,
    count_as_text=True,
    content_id_in_part_header=False,
    content_id_required=False,
    rooted_next_link=True,
)

V2_FORMAT: Final = WireFormat(
    dialect=Dialect.V2,
    root="/b1s/v2",
    json_type="application/json;odata.metadata=minimal;charset=utf-8",
    error_type="application/json;charset=utf-8",
    version=("OData-Version", "4.0"),
    annotation="@odata.",
    context="@odata.context",
    entity_suffix="/$entity",
    batch_status=200,
    count_as_text=False,
    content_id_in_part_header=True,
    content_id_required=True,
    rooted_next_link=False,
)

FORMATS: Final[Mapping[str, WireFormat]] = MappingProxyType({f.root: f for f in (V1_FORMAT, V2_FORMAT)})
"""The formats by the path of their service root."""
