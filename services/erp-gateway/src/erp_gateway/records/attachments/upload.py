"""The files of a request, received into a spool."""

import asyncio
import hashlib
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Final

from attrs import define, field
from starlette.requests import Request

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.spool import Spool
from erp_gateway.records.attachments.multipart import FormParts
from erp_gateway.records.attachments.rules import clean_name, sent_name, with_suffix
from erp_gateway.settings.attachments import Attachments
from erpclient import FilePart, StreamedBody
from servicekit.endpoint import check_content_encoding
from servicekit.errors import BodyTooLarge, FieldProblem, InvalidBody, RequestTimeout, UnsupportedMediaType

MAX_FILES: Final = 20
FORM_BYTES: Final = 64 * 1024
"""Bytes of a form besides its files."""

PIECE_S: Final = 30.0
"""Longest wait for the next piece."""

_FORM: Final = re.compile(
    r'(?i)multipart/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;.*)?'
)


@define
class _File:
    name: str
    start: int
    size: int = 0


@define(eq=False, repr=False)
class Upload:
    """The received files of one request.

    Args:
        rules: limits of files.
        spool: holds the files, one after another.
    """

    _rules: Attachments
    _spool: Spool
    _files: list[_File] = field(factory=list, init=False)
    _digest: "hashlib._Hash" = field(factory=hashlib.sha256, init=False)

    def begin(self, disposition: bytes) -> None:
        """Begin a file, with the `Content-Disposition` of its part.

        Raises:
            InvalidBody: no file name, or too many files.
            AttachmentTypeRefused: the installation does not accept this type.
        """
        if len(self._files) == MAX_FILES:
            raise InvalidBody(errors=[FieldProblem("files", f"Se admiten hasta {MAX_FILES} archivos.")])
        name = clean_name(sent_name(disposition), self._rules.extensions)
        if name.casefold() in self.names:
            raise InvalidBody(errors=[FieldProblem("files", "Dos archivos tienen el mismo nombre.")])
        self._files.append(_File(name, self._spool.size))
        self._digest.update(f"\0{name}\0".encode())

    def write(self, content: bytes) -> None:
        """Add a piece of the current file.

        Raises:
            BodyTooLarge: the files are too large.
            ExportNoRoom: there is no disk space for them.
        """
        if self._spool.size + len(content) > self._rules.max_bytes:
            raise BodyTooLarge
        self._spool.write(content)
        self._digest.update(content)
        self._files[-1].size += len(content)

    def check(self) -> None:
        """Check the received files.

        Raises:
            InvalidBody: no file, or an empty one.
        """
        if not self._files or not all(file.size for file in self._files):
            raise InvalidBody(errors=[FieldProblem("files", "Falta el archivo, o está vacío.")])

    @property
    def digest(self) -> bytes:
        """Fingerprint of names, sizes and contents."""
        return self._digest.digest() + repr(self.sizes).encode()

    @property
    def names(self) -> frozenset[str]:
        """Names of the files, casefolded."""
        return frozenset(file.name.casefold() for file in self._files)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of each file."""
        return tuple(file.size for file in self._files)

    def parts(self, suffix: str = "") -> list[FilePart]:
        """Return the files as they are sent on, with a suffix in their names if there is one."""
        return [
            FilePart(
                with_suffix(file.name, suffix) if suffix else file.name,
                StreamedBody(file.size, partial(self._spool.part, file.start, file.size)),
            )
            for file in self._files
        ]


@contextmanager
def new_upload(rules: Attachments, budget: SpoolBudget) -> Iterator[Upload]:
    """Open an upload and delete its file on exit.

    Raises:
        ExportNoRoom: no temporary file can be created.
    """
    with closing(Spool(budget)) as spool:
        yield Upload(rules, spool)


async def receive(request: Request, upload: Upload, longest_s: float) -> None:
    """Receive the form of a request.

    Raises:
        UnsupportedMediaType: the body is not a form, or is compressed.
        InvalidBody: the form or one of its files is invalid.
        AttachmentTypeRefused: the installation does not accept this type.
        BodyTooLarge: the files are too large.
        RequestTimeout: the form did not arrive in time.
        ExportNoRoom: there is no disk space for it.
    """
    form = _FORM.fullmatch(request.headers.get("content-type", ""))
    if form is None:
        raise UnsupportedMediaType("El cuerpo debe ser un formulario con archivos (multipart/form-data).")
    check_content_encoding(request)
    parts = FormParts((form[1] or form[2]).encode("latin-1"), upload.begin, upload.write)
    now = asyncio.get_running_loop().time
    try:
        async with asyncio.timeout(longest_s), asyncio.timeout(PIECE_S) as patience:
            async for piece in request.stream():
                patience.reschedule(now() + PIECE_S)
                parts.feed(piece)
    except TimeoutError as error:
        raise RequestTimeout(headers={"Connection": "close"}) from error
    parts.finish()
    upload.check()
