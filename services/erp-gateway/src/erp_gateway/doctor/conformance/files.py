"""Questions about attached files."""

from typing import Final

from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import Question, question, questions_in
from erpdoctor.conformance.readings import either, status

_LINES: Final = "Attachments2_Lines"
_OVERWRITTEN: Final = ("other_habits=files-are-overwritten",)


@question(
    "Is the non-ASCII name of an added file returned unchanged, in UTF-8?",
    expected="same",
    source="unproven",
    breaks="people see other names than those of the files that they added; reading them goes on",
    switches=("other_habits=file-names-are-latin",),
    writes=True,
)
async def _file_names_are_utf_8(fixture: Fixture) -> str:
    (line,) = (await fixture.trial_files())[_LINES]
    return either(f"{line['FileName']}.{line['FileExtension']}" == fixture.file_name, "same", "other")


@question(
    "Is a file refused that is added to an entry under a name that the entry has?",
    expected="refused",
    source="unproven; a user of a client library takes it for the way to overwrite a file",
    breaks="no effect: the gateway refuses such a file itself (`attachment_exists`)",
    switches=_OVERWRITTEN,
    writes=True,
)
async def _file_name_of_its_entry(fixture: Fixture) -> str:
    entry = await fixture.trial_files()
    if status(await fixture.add_file(entry["AbsoluteEntry"])) not in ("200", "204"):
        return "refused"
    after = await fixture.trial_files()
    return either(len(after[_LINES]) > len(entry[_LINES]), "added", "overwritten")


@question(
    "Is a new entry's file refused under a name that another entry's file has in the same folder?",
    expected="refused",
    source="a refusal reported by a user of a client library",
    breaks="a file of one record silently replaces another record's",
    switches=_OVERWRITTEN,
    writes=True,
)
async def _file_name_of_another_entry(fixture: Fixture) -> str:
    await fixture.trial_files()
    return either(status(await fixture.add_file(None)) == "201", "taken", "refused")


_MISSING_FOLDER_IS_REFUSED: Final = Question(
    name="missing-folder-is-refused",
    asks="Is a file refused with 400 where the folder for attachments is not named, or not mounted?",
    expected="400/-10",
    source="the text of the ERP's own client; its status and number here are assumed",
    breaks="no effect: the ERP's words are shown (`upstream_rejected`); a 5xx leaves the outcome unknown",
    switches=("attachments_mounted=false", "attachment_folder="),
    unasked="it takes a company whose folder is out of reach",
)


FILE_QUESTIONS: Final = questions_in(globals())
