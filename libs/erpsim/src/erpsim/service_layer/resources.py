"""Routes requests to the world by address and method. No sockets, no sessions."""

from __future__ import annotations

import mimetypes
from typing import Final

import attrs

from erpsim.business.documents.attachments import ATTACHMENTS, UploadedFile
from erpsim.company.errors import (
    NotSimulatedError,
    SlError,
    bad_post,
    not_supported,
    nothing_to_remove,
    unknown_service,
    unknown_set,
)
from erpsim.company.exchange import Caller, Dialect, WriteMode
from erpsim.company.habits import OtherHabit
from erpsim.facts.model import OperationFacts
from erpsim.query.options import QueryOptions
from erpsim.service_layer.address import (
    Segment,
    decode_path,
    decode_query,
    parse_path,
    parse_query,
    split_options,
)
from erpsim.service_layer.forms import is_form, read_files
from erpsim.service_layer.preferences import (
    RETURN_NO_CONTENT,
    check_options,
    page_size,
    preferences,
    preferred_page_size,
)
from erpsim.service_layer.wire.envelopes import (
    PLAIN_TEXT,
    aggregate_reply,
    cross_join_reply,
    empty_reply,
    entity_reply,
    json_reply,
    list_reply,
    location,
    property_reply,
    query_reply,
    service_reply,
    text_reply,
)
from erpsim.service_layer.wire.json_text import number_text, parse_object
from erpsim.service_layer.wire.messages import SlReply, SlRequest
from erpsim.service_layer.wire.metadata_document import MetadataDocuments
from erpsim.world import STORED_QUERIES, World

CROSS_JOIN: Final = "$crossjoin("
QUERY_SERVICE: Final = "QueryService_PostQuery"
_POSTED_QUERY: Final = {"QueryPath", "QueryOption"}
_WRITE_MODES: Final = {"PATCH": WriteMode.MERGE, "MERGE": WriteMode.MERGE, "PUT": WriteMode.REPLACE}


class Resources:
    """Everything below a service root except login, logout and batches.

    Args:
        world: the company.
        documents: the metadata documents.
    """

    def __init__(self, world: World, documents: MetadataDocuments) -> None:
        self._world = world
        self._documents = documents

    def answer(self, request: SlRequest, user: str) -> SlReply:
        """Execute a request as this ERP user.

        Raises:
            SlError: any refusal; 501 for what is not simulated.
        """
        check_options(request)
        visit = _Visit(
            request=request,
            caller=Caller(
                user=user,
                dialect=request.wire.dialect,
                case_insensitive=request.flag("b1s-caseinsensitive"),
            ),
            last_counts=self._world.switches.has(OtherHabit.REPEATED_OPTIONS_PASS),
        )
        match parse_path(request.path):
            case (Segment(name, key), *below) if name.startswith("$") or (key is None and not below):
                return self._at_root(visit, name)
            case (Segment(name, None), Segment("$count", None)):
                return self._count(visit, name)
            case (Segment(name, str(key)),):
                return self._entity(visit, name, key)
            case (Segment(name, str(key)), Segment("$value", None)) if name == ATTACHMENTS:
                return self._file(visit, key)
            case (Segment(name, str(key)), Segment(member, None)):
                return self._member(visit, name, key, member)
            case (Segment(name, str(key)), Segment(member, None), Segment("$value", None)):
                return self._raw_value(visit, name, key, member)
            case _:
                raise _off_the_map(request)

    def _at_root(self, visit: _Visit, name: str) -> SlReply:
        if not name:
            raise NotSimulatedError("the service document")
        if visit.request.path == "$metadata":
            return self._documents.reply(visit.request.wire)
        if name.startswith("$"):
            return self._cross_join(visit)
        if name == QUERY_SERVICE:
            return self._posted_query(visit)
        operation = self._world.find_operation(name)
        if operation is not None:
            return self._service_action(visit, operation)
        return self._entity_set(visit, name)

    def _cross_join(self, visit: _Visit) -> SlReply:
        request = visit.request
        if not request.path.startswith(CROSS_JOIN):
            raise NotSimulatedError(f"`{request.path}`")
        visit.only("GET", "a cross-join")
        options = [(name, text) for name, text in parse_query(request.query) if name.startswith("$")]
        path = decode_path(request.path)
        page = self._world.cross_join(path, options, page_size(request), visit.caller)
        return cross_join_reply(page, path, options, request)

    def _posted_query(self, visit: _Visit) -> SlReply:
        """Run a cross-join whose path and options are in the body, not percent-encoded."""
        if not self._world.switches.query_service:
            raise unknown_service()
        visit.only("POST", "the query service")
        request, body = visit.request, visit.body()
        path, text = body.get("QueryPath"), body.get("QueryOption")
        if not isinstance(path, str) or not isinstance(text, str) or set(body) != _POSTED_QUERY:
            raise bad_post()
        options = split_options(text)
        page = self._world.cross_join(path, options, page_size(request), visit.caller)
        return attrs.evolve(
            cross_join_reply(page, path, options, request),
            # A JSON text of type `text/plain` (note of SAP manual 1.22, 3.7.10).
            headers=(("Content-Type", PLAIN_TEXT), request.wire.version),
        )

    def _service_action(self, visit: _Visit, operation: OperationFacts) -> SlReply:
        request = visit.request
        by_get = request.method == "GET" and request.wire.dialect is Dialect.V2 and operation.function
        if request.method != "POST" and not by_get:
            raise NotSimulatedError(f"{request.method} for a service action")
        if not request.body and not by_get and self._world.switches.has(OtherHabit.SERVICES_WANT_BODIES):
            raise SlError(400, -1013, "Request body is empty")
        answer = self._world.service_action(operation.name, visit.body(), visit.caller)
        return service_reply(answer, request, bare=self._world.switches.has(OtherHabit.VALUES_STAND_BARE))

    def _entity_set(self, visit: _Visit, name: str) -> SlReply:
        request = visit.request
        match request.method:
            case "GET":
                options = visit.options()
                if options.apply is not None and not self._world.switches.has(OtherHabit.APPLY_IGNORED):
                    return aggregate_reply(name, self._world.aggregate(name, options, visit.caller), request)
                result = self._world.list(name, options, visit.caller)
                reply = list_reply(name, result, request)
                if preferred_page_size(request) is None:
                    return reply
                # Only the preference is acknowledged, not `B1S-PageSize` (SAP manual 1.29, pagination).
                return reply.with_headers(("Preference-Applied", f"odata.maxpagesize={result.page_size}"))
            case "POST":
                return self._create(visit, name)
            case method:
                raise NotSimulatedError(f"{method} for an entity set")

    def _create(self, visit: _Visit, name: str) -> SlReply:
        request = visit.request
        files = visit.files() if name == ATTACHMENTS else None
        if files is None:
            entity = self._world.create(name, visit.body(), visit.caller)
        else:
            entity = self._world.upload(None, files, visit.caller)
        if RETURN_NO_CONTENT in preferences(request):
            return empty_reply(request.wire).with_headers(
                ("Location", location(request, name, entity, absolute=False)),
                ("Preference-Applied", RETURN_NO_CONTENT),
            )
        reply = entity_reply(201, name, entity, request)
        return reply.with_headers(("Location", location(request, name, entity, absolute=True)))

    def _count(self, visit: _Visit, name: str) -> SlReply:
        visit.only("GET", "a count")
        return text_reply(str(self._world.count(name, visit.options(), visit.caller)), visit.request.wire)

    def _entity(self, visit: _Visit, name: str, key_text: str) -> SlReply:
        request = visit.request
        key = self._world.parse_key(name, key_text)
        match request.method:
            case "GET":
                entity = self._world.get(name, key, visit.options(), visit.caller)
                return entity_reply(200, name, entity, request)
            case "PATCH" if name == ATTACHMENTS and (files := visit.files()) is not None:
                self._world.upload(key, files, visit.caller)
            case "PATCH" | "MERGE" | "PUT":
                self._world.modify(
                    name,
                    key,
                    visit.body(),
                    visit.caller,
                    mode=_WRITE_MODES[request.method],
                    if_match=request.if_match,
                    replace_collections=request.flag("b1s-replacecollectionsonpatch"),
                )
            case "DELETE":
                try:
                    self._world.delete(name, key, visit.caller, if_match=request.if_match)
                except SlError as error:
                    is_missing = (error.status, error.code) == (404, -2028)
                    raise nothing_to_remove(key_text) if is_missing else error from None
            case method:
                raise NotSimulatedError(f"{method} for an entity")
        return self._done(request)

    def _file(self, visit: _Visit, key_text: str) -> SlReply:
        visit.only("GET", "a file")
        key = self._world.parse_key(ATTACHMENTS, key_text)
        names = [value for name, value in parse_query(visit.request.query) if name == "filename"]
        name = names[0].removeprefix("'").removesuffix("'").replace("''", "'") if names else None
        content = self._world.read_file(key, name)
        kind, _ = mimetypes.guess_type(name or "")
        return SlReply(
            status=200,
            headers=(("Content-Type", kind or "application/octet-stream"), visit.request.wire.version),
            body=content,
        )

    def _done(self, request: SlRequest) -> SlReply:
        if self._world.switches.has(OtherHabit.CHANGES_ARE_200):
            return json_reply(200, {}, request.wire)
        return empty_reply(request.wire)

    def _stored_query(self, visit: _Visit, key_text: str) -> SlReply:
        """Run a stored query: by GET with parameters in the address, by POST with them in the body (200)."""
        request = visit.request
        code = self._world.parse_key(STORED_QUERIES, key_text)[0]
        match request.method:
            case "GET":
                sent = [piece for piece in request.query.split("&") if piece]
                own = [piece for piece in sent if not piece.startswith(("$", "%24"))]
                pieces = [decode_query(piece) for piece in own]
            case "POST":
                text = visit.body().get("ParamList")
                own = pieces = [piece for piece in str(text or "").split("&") if piece]
            case method:
                raise NotSimulatedError(f"{method} for a stored query's List")
        skip = visit.options_of_paging().skip or 0
        page = self._world.run_query(str(code), pieces, skip, page_size(request), visit.caller)
        reply = query_reply(page, own, request)
        if preferred_page_size(request) is None:
            return reply
        return reply.with_headers(("Preference-Applied", f"odata.maxpagesize={page.page_size}"))

    def _member(self, visit: _Visit, name: str, key_text: str, member: str) -> SlReply:
        if name == STORED_QUERIES and member == "List":
            return self._stored_query(visit, key_text)
        request = visit.request
        key = self._world.parse_key(name, key_text)
        match request.method:
            case "GET":
                value = self._world.get_property(name, key, member, visit.caller)
                if isinstance(value, list | dict):
                    raise NotSimulatedError("reading a complex property by its address")
                return property_reply(value, request.wire)
            case "POST":
                entity = self._world.action(
                    name, key, member, visit.body(), visit.caller, if_match=request.if_match
                )
                return self._done(request) if entity is None else entity_reply(200, name, entity, request)
            case "DELETE":
                # Lines have no removal of their own (an integrator's live test).
                raise not_supported()
            case method:
                raise NotSimulatedError(f"{method} for a part of an entity")

    def _raw_value(self, visit: _Visit, name: str, key_text: str, member: str) -> SlReply:
        visit.only("GET", "a raw value")
        value = self._world.get_property(name, self._world.parse_key(name, key_text), member, visit.caller)
        match value:
            case None:
                # SAP manual 1.22 and 1.29, "Retrieving property raw values".
                raise SlError(404, -2028, f"Resource not found for the property: {member}")
            case list() | dict():
                raise NotSimulatedError("reading a complex property by its address")
            case str() | int():
                return text_reply(str(value), visit.request.wire)
            case _:
                return text_reply(number_text(value), visit.request.wire)


@attrs.frozen(kw_only=True)
class _Visit:
    """A request with its caller, and whether the last of repeated options counts."""

    request: SlRequest
    caller: Caller
    last_counts: bool

    def files(self) -> list[UploadedFile] | None:
        """Return the files of a form, None for any other body."""
        content_type = self.request.header("content-type")
        return read_files(str(content_type), self.request.body) if is_form(content_type) else None

    def body(self) -> dict[str, object]:
        """Read the body whatever its content type: the manual's samples send JSON as `text/plain`."""
        if (self.request.header("content-type") or "").lower().startswith("multipart/"):
            raise NotSimulatedError("uploads")
        return parse_object(self.request.body)

    def options(self) -> QueryOptions:
        request = self.request
        pairs = parse_query(request.query)
        return QueryOptions.parse(
            dict(pairs).items() if self.last_counts else pairs,
            request.wire.dialect,
            page_size=page_size(request),
        )

    def options_of_paging(self) -> QueryOptions:
        """Read only `$skip`: other options belong to the stored query."""
        request = self.request
        pairs = [(name, value) for name, value in parse_query(request.query) if name == "$skip"]
        return QueryOptions.parse(pairs, request.wire.dialect, page_size=page_size(request))

    def only(self, method: str, what: str) -> None:
        if self.request.method != method:
            raise NotSimulatedError(f"{self.request.method} for {what}")


def _off_the_map(request: SlRequest) -> SlError:
    if request.method == "DELETE":
        return not_supported()
    return unknown_set()
