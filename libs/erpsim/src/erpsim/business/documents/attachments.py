"""Files that records refer to by their `AttachmentEntry`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
from typing_extensions import override

from erpsim.business.rules import Operation, ReadOnlyRules
from erpsim.company.company import Company
from erpsim.company.errors import NotSimulatedError, SlError, not_found, not_supported, refused
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.habits import OtherHabit
from erpsim.company.rows.merging import rows_of

ATTACHMENTS: Final = "Attachments2"
_LINES: Final = "Attachments2_Lines"
# Hidden field with the file's bytes, one character per byte. It is not a property, so no response contains
# it.
_CONTENT: Final = "$content"


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
    """Attachment entries. Bodies with server paths are not simulated, and entries cannot be removed."""

    @override
    def delete(self, _at: Operation, _row: Fields, /) -> None:
        """Refuse: there is no DELETE (an integrator's live note)."""
        raise not_supported()


def add_files(at: Operation, key: Key | None, files: Sequence[UploadedFile]) -> Key:
    """Store files as a new entry or append them to an existing one.

    PATCH appends. A failed change set leaves both files and entry behind (seen live, recordings of
    `b1sl-python`).

    Raises:
        SlError: 404 for an unknown entry; the folder is missing, or has such a file; 501 for a name twice.
    """
    company = at.company
    _check_folder(company)
    contents = {_stored_name(company, file.name): file.content for file in files}
    if len(contents) < len(files):
        raise NotSimulatedError("two files of one name in one form")
    for name, content in contents.items():
        _check_name_is_free(company, name, content)
    row: Fields = {_LINES: []} if key is None else company.get(ATTACHMENTS, key)
    lines = rows_of(row, _LINES)
    existing = {_name_of(line) for line in lines}
    added = [_line(company, name, content) for name, content in contents.items() if name not in existing]
    stored: Fields = {**row, _LINES: list[Value]([*lines, *added])}
    if key is None:
        stored["AbsoluteEntry"] = company.next_number(ATTACHMENTS)
        key = company.insert(ATTACHMENTS, stored)
    else:
        company.update(ATTACHMENTS, stored)
    company.note_unprotected(ATTACHMENTS, company.get(ATTACHMENTS, key))
    return key


def read_file(company: Company, key: Key, name: str | None) -> bytes:
    """Return a file of an entry, by default the first one (SAP manual 1.29, attachments).

    Raises:
        SlError: 404 for an unknown entry or name (assumed for the name); the folder is missing.
    """
    row = company.get(ATTACHMENTS, key)
    _check_folder(company)
    for line in rows_of(row, _LINES):
        if name in {None, _name_of(line)}:
            return str(line[_CONTENT]).encode("latin-1")
    raise not_found()


def _stored_name(company: Company, sent_name: str) -> str:
    return (
        sent_name.encode().decode("latin-1")
        if company.switches.has(OtherHabit.FILE_NAMES_LATIN)
        else sent_name
    )


def _check_name_is_free(company: Company, name: str, content: bytes) -> None:
    """Refuse a name that already exists in the folder: all entries share one folder."""
    # The text is that of a new entry's refusal (B1SLayer issue 7). The number, and that PATCH refuses alike,
    # are assumed.
    for row in list(company.rows(ATTACHMENTS)):
        lines = rows_of(row, _LINES)
        if name not in map(_name_of, lines):
            continue
        if not company.switches.has(OtherHabit.FILES_OVERWRITTEN):
            raise refused("A file with this name already exists")
        held: Fields = {_CONTENT: _text_of(content)}
        changed = [line | held if _name_of(line) == name else line for line in lines]
        company.update(ATTACHMENTS, {**row, _LINES: list[Value](changed)})


def _name_of(line: Fields) -> str:
    return f"{line.get('FileName')}.{line.get('FileExtension')}"


def _text_of(content: bytes) -> str:
    return content.decode("latin-1")


def _line(company: Company, name: str, content: bytes) -> Fields:
    stem, _, extension = name.rpartition(".")
    return {
        "SourcePath": company.switches.attachment_folder,
        "FileName": stem,
        "FileExtension": extension,
        "AttachmentDate": company.today(),
        "UserID": "tNO",
        "Override": "tNO",
        _CONTENT: _text_of(content),
    }


def _check_folder(company: Company) -> None:
    """Refuse if the company has no attachment folder or the Linux host has not mounted it."""
    # The text is the client's message 131-102. Its number in the Service Layer is assumed.
    switches = company.switches
    if not switches.attachment_folder or not switches.attachments_mounted:
        raise refused(
            "Attachment folder has not been defined, or the folder has been changed or removed  "
            "[Message 131-102]"
        )


def part_missing() -> SlError:
    """Refusal of a form whose parts are not named `files` (also the manual's own two-part body, seen
    live).
    """
    return SlError(400, -1000, "Invalid multipart body: no part is named files")
