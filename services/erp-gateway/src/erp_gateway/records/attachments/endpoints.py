"""`/api/attachments`: the files of a record."""

from functools import partial
from typing import Final

from attrs import define, frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.errors import ExportNoRoom
from erp_gateway.files.exports.pace import PaceRules
from erp_gateway.files.exports.response import FileResponse
from erp_gateway.records.attachments.errors import (
    AttachmentExists,
    AttachmentNotFound,
    AttachmentsUnsupported,
    AttachmentTypeRefused,
)
from erp_gateway.records.attachments.rules import ANY_TYPE, MEDIA_TYPES
from erp_gateway.records.attachments.service import Attachment, AttachmentService, check_supported
from erp_gateway.records.attachments.upload import FORM_BYTES, new_upload, receive
from erp_gateway.records.proxy.client_headers import read_client_headers
from erp_gateway.records.proxy.client_request import ClientRequest
from erp_gateway.records.proxy.errors import EtagUnsupported
from erp_gateway.records.proxy.policy import ProxyPolicy
from erp_gateway.records.proxy.responses import write_response
from erp_gateway.records.proxy.service import WriteContext
from erp_gateway.records.proxy.shapes import ANY_CALL, ANY_WRITE, IDEMPOTENCY_KEY, ON_RECORD, RECORD_PARAMS
from erp_gateway.settings.attachments import Attachments
from erp_gateway.web.access import Access, Permissions, actor_of, lasting_right, session_of
from erp_gateway.web.download_names import content_disposition
from erp_gateway.web.odata_errors import KeyBadValue
from erp_gateway.web.requests import note_resource, upstream_calls
from erp_gateway.writes.idempotency_key import read_idempotency_key
from servicekit.endpoint import Answer, Body, Endpoint, PathParam, json_response, path_param, read_query
from servicekit.erp.errors import RecordNotFound
from servicekit.errors import InvalidQuery, MethodNotAllowed

_RECORD_FILES: Final = "/api/attachments/{resource}/{key}"
_FILE: Final = "/api/attachments/{resource}/{key}/{number}"
_NUMBER: Final = {
    "number": PathParam("Number of the file, from 1", "1", {"type": "string", "pattern": "^[0-9]{1,6}$"})
}
_MAX_DIGITS: Final = 6


@frozen(kw_only=True)
class AttachmentList:
    """The files of a record, in the order in which they were added."""

    items: tuple[Attachment, ...]


FORM: Final = "multipart/form-data"
_FILES: Final = {
    "type": "object",
    "properties": {"files": {"type": "array", "items": {"type": "string", "format": "binary"}}},
}
_CONTENTS: Final = tuple(
    Body({"type": "string", "contentMediaType": media_type}, "…", media_type)
    for media_type in dict.fromkeys((ANY_TYPE, *MEDIA_TYPES.values()))
)
_ANY: Final = (KeyBadValue, AttachmentsUnsupported, InvalidQuery, MethodNotAllowed, RecordNotFound)


@define(eq=False, repr=False)
class AttachmentEndpoints:
    """Handlers of the files of records.

    Args:
        policy: turns requests into plans. Reading files needs the right to read the record, adding files the
            right to change it.
        service: reads and adds files.
        permissions: rights of web users.
        rules: limits of added files.
        budget: disk space for files in transit.
        pace: minimum speed of downloads and uploads.
    """

    _policy: ProxyPolicy
    _service: AttachmentService
    _permissions: Permissions
    _rules: Attachments
    _budget: SpoolBudget
    _pace: PaceRules

    async def list_files(self, request: Request) -> Response:
        """Respond with the files of a record."""
        plan = self._policy.plan_record(self._client_request(request))
        note_resource(request, plan.target.resource.name)
        with upstream_calls(request) as caller:
            return json_response(AttachmentList(items=await self._service.list_files(plan, caller)))

    async def get_file(self, request: Request) -> Response:
        """Respond with one file, after reading it completely."""
        client_request = self._client_request(request)
        plan = self._policy.plan_record(client_request)
        note_resource(request, plan.target.resource.name)
        number = path_param(request, "number")
        if not (number.isascii() and number.isdigit() and len(number) <= _MAX_DIGITS):
            raise AttachmentNotFound
        with upstream_calls(request) as caller:
            file = await self._service.open_file(plan, int(number), caller, reads=request.method != "HEAD")
        headers = {
            "Content-Type": MEDIA_TYPES.get(file.extension.lower(), ANY_TYPE),
            "Content-Disposition": content_disposition(file.title, file.extension),
        }
        return FileResponse(
            file.spool.chunks(),
            file.spool.size,
            headers,
            self._pace,
            check=lasting_right(request, partial(self._policy.check_readable, client_request)),
            close=file.spool.close,
        )

    async def add_files(self, request: Request) -> Response:
        """Add files to a record."""
        plan = self._policy.plan_modify(self._client_request(request))
        note_resource(request, plan.target.resource.name)
        check_supported(plan.target)
        if plan.if_match is not None:
            raise EtagUnsupported("La cabecera If-Match no se admite aquí: los archivos solo se agregan.")
        idempotency_key = read_idempotency_key(request.scope["headers"])
        with new_upload(self._rules, self._budget.of(session_of(request).user.name)) as upload:
            await receive(request, upload, self._pace.max_s)
            with upstream_calls(request) as caller:
                context = WriteContext(caller, actor_of(request), idempotency_key)
                return write_response(request, await self._service.add(plan, upload, context))

    def endpoints(self) -> list[Endpoint]:
        """Return all endpoints."""
        return [
            Endpoint(
                "GET",
                _RECORD_FILES,
                self.list_files,
                access=Access.PROXY,
                summary="Files of a record",
                path_params=RECORD_PARAMS,
                responses={200: Answer("The files", Body(AttachmentList))},
                errors=(*ANY_CALL, *_ANY),
            ),
            Endpoint(
                "GET",
                _FILE,
                self.get_file,
                access=Access.PROXY,
                summary="One file of a record",
                description="What it is follows from its extension. It is never shown inside a page.",
                path_params={**RECORD_PARAMS, **_NUMBER},
                responses={
                    200: Answer(
                        "The file",
                        _CONTENTS[0],
                        {"Content-Disposition": "Names the file as the ERP does"},
                        _CONTENTS[1:],
                    )
                },
                errors=(*ANY_CALL, *_ANY, AttachmentNotFound, ExportNoRoom),
            ),
            Endpoint(
                "POST",
                _RECORD_FILES,
                self.add_files,
                access=Access.PROXY,
                summary="Add files to a record",
                description=(
                    "One or more files as a form. The ERP can remove none; nothing is repeated by itself. "
                    "`ATTACHMENT_MAX_BYTES` and `ATTACHMENT_EXTENSIONS` bound "
                    "them. Where files were stored and the record could not refer to them, "
                    "`outcome_unknown` has their `attachmentEntry`."
                ),
                path_params=RECORD_PARAMS,
                headers=(IDEMPOTENCY_KEY,),
                request=Body(_FILES, {"files": ["…"]}, FORM),
                responses={204: Answer("Added", headers={"Idempotency-Replayed": "As of any write"})},
                errors=(
                    *ANY_WRITE,
                    *ON_RECORD,
                    *_ANY,
                    AttachmentExists,
                    AttachmentTypeRefused,
                    ExportNoRoom,
                ),
                max_body_bytes=self._rules.max_bytes + FORM_BYTES,
            ),
        ]

    def _client_request(self, request: Request) -> ClientRequest:
        read_query(request)  # rejects any parameter
        return ClientRequest(
            name=path_param(request, "resource"),
            key=path_param(request, "key"),
            query=b"",
            headers=read_client_headers(request.scope["headers"]),
            allows=partial(self._permissions.allows, session_of(request).user.name),
        )
