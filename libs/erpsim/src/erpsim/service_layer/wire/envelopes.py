"""Response envelopes: context addresses, counts, next links, entity tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote_plus

from erpsim.company.exchange import Entity, ListResult, ServiceReply, Value
from erpsim.query.cross_joins import JoinPage
from erpsim.service_layer.wire.edmx import qualified
from erpsim.service_layer.wire.json_text import JsonValue, render
from erpsim.service_layer.wire.messages import SlReply, SlRequest
from erpsim.service_layer.wire.wire_format import WireFormat
from erpsim.stored_queries.running import QueryPage

PLAIN_TEXT = "text/plain;charset=utf-8"
_LEGIBLE = "!$'()*,;:=@-._~"


def json_reply(status: int, value: JsonValue, wire: WireFormat) -> SlReply:
    """Return a JSON answer of this generation."""
    headers = (("Content-Type", wire.json_type), wire.version)
    return SlReply(status=status, headers=headers, body=render(value))


def text_reply(text: str, wire: WireFormat) -> SlReply:
    """Return a plain answer, as counts and raw values are."""
    return SlReply(status=200, headers=(("Content-Type", PLAIN_TEXT), wire.version), body=text.encode())


def empty_reply(wire: WireFormat) -> SlReply:
    """Return 204."""
    return SlReply(status=204, headers=(wire.version,))


def entity_reply(status: int, set_name: str, entity: Entity, request: SlRequest) -> SlReply:
    """Return one entity; its tag is in the header and the body as the entity says (seen live)."""
    wire = request.wire
    value = {wire.context: _context(request, set_name + wire.entity_suffix), **_tagged(entity, wire)}
    reply = json_reply(status, value, wire)
    return reply.with_headers(("ETag", entity.header_etag)) if entity.header_etag else reply


def list_reply(set_name: str, result: ListResult, request: SlRequest) -> SlReply:
    """Return a page of entities."""
    wire = request.wire
    value: dict[str, JsonValue] = {wire.context: _context(request, set_name)}
    if result.count is not None:
        # A string in v1 (SAP manual 1.22, 3.7.7.7), a number in v2 (a client library's fix).
        value[wire.annotated("count")] = str(result.count) if wire.count_as_text else result.count
    value["value"] = [_tagged(row, wire) for row in result.rows]
    if result.next_skip is not None:
        value[wire.annotated("nextLink")] = next_link(request, result.next_skip, result.next_top)
    reply = json_reply(200, value, wire)
    return reply.with_headers(("ETag", result.header_etag)) if result.header_etag else reply


def aggregate_reply(set_name: str, result: ListResult, request: SlRequest) -> SlReply:
    """Return the rows of `$apply`. They have no address: `odata.id` is null (SAP's blog on aggregation)."""
    wire = request.wire
    names = ",".join(result.rows[0].fields) if result.rows else ""
    value: dict[str, JsonValue] = {
        wire.context: _context(request, f"{set_name}({names})"),
        "value": [{wire.annotated("id"): None, **row.fields} for row in result.rows],
    }
    if result.next_skip is not None:
        value[wire.annotated("nextLink")] = next_link(request, result.next_skip, None)
    return json_reply(200, value, wire)


def query_reply(page: QueryPage, parameters: Sequence[str], request: SlRequest) -> SlReply:
    """Return a page of a stored query's answer.

    Its next link is relative in both generations and repeats the parameters, those of a POST too (samples of
    SAP manual 1.29, 4.4 and 4.9: `SQLQueries('sql01')/List?docTotal=10.1&$skip=5`, `List?&$skip=5`).
    """
    wire = request.wire
    value: dict[str, JsonValue] = {
        wire.context: _context(request, qualified("SQLQueryResult")),
        "SqlText": page.text,
        "value": page.rows,
    }
    if page.next_skip is not None:
        link = f"{request.path}?{'&'.join(parameters)}&$skip={page.next_skip}"
        value[wire.annotated("nextLink")] = link
    return json_reply(200, value, wire)


def cross_join_reply(
    page: JoinPage, path: str, options: Sequence[tuple[str, str]], request: SlRequest
) -> SlReply:
    """Return a page of a cross-join; its next link repeats path and options."""
    wire = request.wire
    value: dict[str, JsonValue] = {
        wire.context: _context(request, "Collection(Edm.ComplexType)"),
        "value": page.rows,
    }
    if page.next_skip is not None:
        others = "&".join(f"{name}={text}" for name, text in options if name != "$skip")
        link = f"{path}?{others}&$skip={page.next_skip}"
        value[wire.annotated("nextLink")] = f"{wire.root}/{link}" if wire.rooted_next_link else link
    return json_reply(200, value, wire)


def service_reply(answer: ServiceReply, request: SlRequest, *, bare: bool = False) -> SlReply:
    """Return the result of a service action: an object flat, anything else as `value`, None as 204.

    Args:
        answer: its result.
        request: the request.
        bare: whether a single value is the whole response, as on some installations.
    """
    wire = request.wire
    if answer.value is None:
        return empty_reply(wire)
    if bare and not isinstance(answer.value, dict | list):
        return json_reply(200, answer.value, wire)
    value: dict[str, JsonValue] = {wire.context: _context(request, qualified(answer.type_name))}
    value.update(answer.value if isinstance(answer.value, dict) else {"value": answer.value})
    return json_reply(200, value, wire)


def property_reply(value: Value, wire: WireFormat) -> SlReply:
    """Return one property; null is a 200 with its own annotation (SAP manual 1.22, 3.11)."""
    return json_reply(200, {wire.annotated("null"): True} if value is None else {"value": value}, wire)


def location(request: SlRequest, set_name: str, entity: Entity, *, absolute: bool) -> str:
    """Return the address of a new entity.

    Args:
        absolute: with scheme and host; the relative form is for answers without content (SAP manual 1.22).
    """
    path = f"{request.wire.root}/{entity_path(set_name, entity)}"
    return request.origin + path if absolute else path


def entity_path(set_name: str, entity: Entity) -> str:
    """Return an entity's address below the service root, percent-encoded."""
    return f"{quote(set_name, safe=_LEGIBLE)}({quote(entity.key, safe=_LEGIBLE)})"


def next_link(request: SlRequest, skip: int, top: int | None) -> str:
    """Return the address of the next page.

    It is plain `$skip` arithmetic over the same query (SAP manual 1.22, 3.7.6); rooted in v1 as the manual
    prints it, relative in v2 as captures show it. The remaining `$top` is included, so that following the
    links yields exactly the requested number of rows.
    """
    pairs = []
    for piece in request.query.split("&"):
        name = piece.partition("=")[0]
        match unquote_plus(name):
            case "$skip" | "":
                pass
            case "$top":
                pairs.append(f"{name}={top}")
            case _:
                pairs.append(piece)
    link = f"{request.path}?{'&'.join([*pairs, f'$skip={skip}'])}"
    return f"{request.wire.root}/{link}" if request.wire.rooted_next_link else link


def _context(request: SlRequest, fragment: str) -> str:
    return f"{request.origin}{request.wire.root}/$metadata#{fragment}"


def _tagged(entity: Entity, wire: WireFormat) -> Mapping[str, JsonValue]:
    if entity.etag is None:
        return entity.fields
    return {wire.annotated("etag"): entity.etag, **entity.fields}
