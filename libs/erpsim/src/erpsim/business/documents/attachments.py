"""Files that records refer to by their `AttachmentEntry`."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Final

import attrs
from typing_extensions import override

from erpsim.business.rules import Operation, ReadOnlyRules
from erpsim.company.company import Company
from erpsim.company.errors import NotSimulatedError, SlError, not_found, not_supported, refused
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.rows.merging import rows_of

ATTACHMENTS: Final = "Attachments2"
_LINES: Final = "Attachments2_Lines"
_CONTENT: Final = "$content"
"""Where a line has its file's bytes, as base64; no property, so no answer shows it."""


@attrs.frozen
class UploadedFile:
    """One file of an upload.

    Args:
        name: with its extension.
        content: its bytes.
    """

    name: str
    content: bytes


class AttachmentRules(ReadOnlyRules):
    """Entries of attachments: bodies with paths on the server are not simulated, and nothing is removed."""

    @override
    def delete(self, _at: Operation, _row: Fields, /) -> None:
        """Refuse: there is no DELETE (an integrator's live note)."""
        raise not_supported()


def add_files(at: Operation, key: Key | None, files: Sequence[UploadedFile]) -> Key:
    """Store files as a new entry, or append them to one; a change set that fails takes neither back.

    Appending is what PATCH does, and that the rollback leaves files and entry was seen live (recordings of
    `b1sl-python`).

    Raises:
        SlError: 404 for an unknown entry; the folder is missing; 501 for a name that the entry has already.
    """
    company = at.company
    _check_folder(company)
    row: Fields = {_LINES: []} if key is None else company.get(ATTACHMENTS, key)
    lines = rows_of(row, _LINES)
    for file in files:
        stem, _, extension = file.name.rpartition(".")
        if any((line.get("FileName"), line.get("FileExtension")) == (stem, extension) for line in lines):
            raise NotSimulatedError("a second file of the same name in one entry")
        lines = [*lines, _line(company, stem, extension, file.content)]
    stored: Fields = {**row, _LINES: list[Value](lines)}
    if key is None:
        stored["AbsoluteEntry"] = company.next_number(ATTACHMENTS)
        key = company.insert(ATTACHMENTS, stored)
    else:
        company.update(ATTACHMENTS, stored)
    company.note_unprotected(ATTACHMENTS, company.get(ATTACHMENTS, key))
    return key


def read_file(company: Company, key: Key, name: str | None) -> bytes:
    """Return a file of an entry, the first one without a name (SAP manual 1.29, attachments).

    Raises:
        SlError: 404 for an unknown entry or name (assumed for the name); the folder is missing.
    """
    row = company.get(ATTACHMENTS, key)
    _check_folder(company)
    for line in rows_of(row, _LINES):
        if name in {None, f"{line.get('FileName')}.{line.get('FileExtension')}"}:
            return base64.b64decode(str(line[_CONTENT]))
    raise not_found()


def _line(company: Company, stem: str, extension: str, content: bytes) -> Fields:
    return {
        "SourcePath": company.switches.attachment_folder,
        "FileName": stem,
        "FileExtension": extension,
        "AttachmentDate": company.today(),
        "UserID": "tNO",
        "Override": "tNO",
        _CONTENT: base64.b64encode(content).decode("ascii"),
    }


def _check_folder(company: Company) -> None:
    """Refuse where the company names no folder, or the Linux host has not mounted it.

    Text of the client's message 131-102; its number in the Service Layer is assumed.
    """
    switches = company.switches
    if not switches.attachment_folder or not switches.attachments_mounted:
        raise refused(
            "Attachment folder has not been defined, or the folder has been changed or removed  "
            "[Message 131-102]"
        )


def part_missing() -> SlError:
    """A form whose parts are not named `files` (the manual's own two-part body, seen live)."""
    return SlError(400, -1000, "Invalid multipart body: no part is named files")
