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
_CONTENT: Final = "$content"
"""Where a line has its file's bytes, each as a character; no property, so no answer shows it."""


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
        SlError: 404 for an unknown entry; the folder is missing, or has such a file; 501 for a name twice.
    """
    company = at.company
    _check_folder(company)
    named = {_kept_name(company, file.name): file.content for file in files}
    if len(named) < len(files):
        raise NotSimulatedError("two files of one name in one form")
    for name, content in named.items():
        _make_way(company, name, content)
    row: Fields = {_LINES: []} if key is None else company.get(ATTACHMENTS, key)
    lines = rows_of(row, _LINES)
    there = {_name_of(line) for line in lines}
    added = [_line(company, name, content) for name, content in named.items() if name not in there]
    stored: Fields = {**row, _LINES: list[Value]([*lines, *added])}
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
        if name in {None, _name_of(line)}:
            return str(line[_CONTENT]).encode("latin-1")
    raise not_found()


def _kept_name(company: Company, sent: str) -> str:
    return sent.encode().decode("latin-1") if company.switches.has(OtherHabit.FILE_NAMES_LATIN) else sent


def _make_way(company: Company, name: str, content: bytes) -> None:
    """Refuse a name that the folder has, whichever entry's it is: the folder is one for all.

    The text is that of a new entry's refusal, told by a user of B1SLayer (its issue 7); that a PATCH refuses
    the same, and the number, are assumed.
    """
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
