"""Sample records of the company, found once, when a question first needs them."""

import json
import secrets
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from erpclient.errors import ErpError
from erpclient.http.attachments import ATTACHMENTS, FilePart, upload_call
from erpclient.http.calls import Call, create_call
from erpclient.http.messages import HttpReply, StreamedBody
from erpclient.odata import Dialect
from erpdoctor.conformance.readings import QuestionSkipped, UnexpectedAnswer, fields, refusal, rows, status
from erpdoctor.conformance.session import ProbeSession

TRIAL_SET: Final = "Quotations"
"""Entity set of the documents that write questions create: they move neither stock nor money and can be
cancelled.
"""

FEW: Final = 5
"""Number of rows to search for one with a suitable value."""


class Fixture:
    """Open session plus the sample records that later questions reuse.

    Args:
        line: the session.
    """

    def __init__(self, line: ProbeSession) -> None:
        self.session = line
        self._pages: dict[str, list[dict[str, Any]]] = {}
        self._trial: dict[str, Any] | None = None
        self._files: dict[str, Any] | None = None
        self.mark = f"CONF-{secrets.token_hex(4)}"
        self._created: list[int] = []
        self._notes: list[str] = []

    @property
    def dialect(self) -> Dialect:
        """OData version of the service."""
        return self.session.dialect

    def annotated(self, name: str) -> str:
        """Write the name of an annotation as this version does: ``odata.etag``, ``@odata.etag``."""
        return f"@odata.{name}" if self.dialect is Dialect.V2 else f"odata.{name}"

    def tag_in(self, record: Mapping[str, Any]) -> object:
        """Return the entity tag of a record, or ``None``."""
        return record.get(self.annotated("etag"))

    async def get(self, path: str, options: Mapping[str, str] | None = None, **headers: str) -> HttpReply:
        """Send a GET.

        Args:
            path: below the service root, already percent-encoded.
            options: query options, not yet percent-encoded.
            headers: names with ``_`` for ``-``.

        Raises:
            ErpError: no answer.
        """
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in (options or {}).items())
        full = f"/{path}?{query}" if query else f"/{path}"
        sent_headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.session.send(Call("GET", path.partition("(")[0], full, sent_headers))

    async def rows(self, entity_set: str, condition: str | None = None) -> list[dict[str, Any]]:
        """Return a few records of a set.

        Raises:
            QuestionSkipped: the set is empty.
            UnexpectedAnswer: the set can't be read.
        """
        cache_key = f"{entity_set} {condition}"
        if cache_key not in self._pages:
            options = {"$top": str(FEW)} | ({"$filter": condition} if condition else {})
            reply = await self.get(entity_set, options, B1S_PageSize=str(FEW))
            self._pages[cache_key] = rows(reply)
        if not self._pages[cache_key]:
            raise QuestionSkipped(f"no record in {entity_set}")
        return self._pages[cache_key]

    async def first(self, entity_set: str, condition: str | None = None) -> dict[str, Any]:
        """Return one record of a set; raises as :meth:`rows`."""
        return (await self.rows(entity_set, condition))[0]

    async def two(self, entity_set: str) -> list[dict[str, Any]]:
        """Return at least two records of a set.

        Raises:
            QuestionSkipped: there are fewer.
        """
        found = await self.rows(entity_set)
        if len(found) < 2:  # noqa: PLR2004 - two
            raise QuestionSkipped(f"fewer than two records in {entity_set}")
        return found

    # --- records of write questions

    async def create(self, entity_set: str, body: Mapping[str, object]) -> HttpReply:
        """Create a record and remember it, if it is a trial document."""
        reply = await self.session.send(create_call(entity_set, json.dumps(body).encode()))
        if entity_set == TRIAL_SET and status(reply) == "201":
            self._created.append(int(fields(reply)["DocEntry"]))
        if refusal(reply).endswith("/-2028"):
            self.note(
                f"a creation in {entity_set} was refused with -2028: where an approval procedure caught it, "
                f"a draft stays (NumAtCard {self.mark})"
            )
        return reply

    async def patch(self, path: str, body: Mapping[str, object], **headers: str) -> HttpReply:
        """Change a record; arguments as of :meth:`get`."""
        sent_headers = {name.replace("_", "-"): value for name, value in headers.items()}
        content = json.dumps(body).encode()
        return await self.session.send(
            Call("PATCH", path.partition("(")[0], f"/{path}", sent_headers, content, write=True)
        )

    async def act(self, path: str, **headers: str) -> HttpReply:
        """Run an action without a body; arguments as of :meth:`get`."""
        sent_headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.session.send(
            Call("POST", path.partition("(")[0], f"/{path}", sent_headers, write=True)
        )

    async def trial_body(self) -> dict[str, Any]:
        """Return the body of a quotation with two lines, for the customer and item of an existing order.

        Raises:
            QuestionSkipped: there are no orders.
        """
        order = await self.first("Orders")
        line = {"ItemCode": order["DocumentLines"][0]["ItemCode"], "Quantity": 1, "UnitPrice": 1}
        return {
            "CardCode": order["CardCode"],
            "DocDueDate": order["DocDueDate"],
            "NumAtCard": self.mark,
            "Comments": "conformance trial, may be ignored",
            "DocumentLines": [line, dict(line)],
        }

    async def trial(self) -> dict[str, Any]:
        """Return the current trial document; the first call creates it.

        Raises:
            QuestionSkipped: there are no orders.
            UnexpectedAnswer: the ERP does not create it.
        """
        if self._trial is None:
            self._trial = fields(await self.create(TRIAL_SET, await self.trial_body()))
        return fields(await self.get(self.trial_path))

    @property
    def trial_path(self) -> str:
        """Path of the trial document."""
        if self._trial is None:
            raise UnexpectedAnswer("no-trial-document")
        return f"{TRIAL_SET}({self._trial['DocEntry']})"

    @property
    def file_name(self) -> str:
        """Name of the trial file, with non-ASCII characters."""
        return f"{self.mark} ñandú.txt"

    async def add_file(self, entry: int | None) -> HttpReply:
        """Add the trial file to an entry of attachments; ``None`` creates one, which stays forever."""

        async def chunks() -> AsyncIterator[bytes]:
            yield self.mark.encode()

        file = FilePart(self.file_name, StreamedBody(len(self.mark), chunks))
        boundary = secrets.token_hex(16)
        reply = await self.session.send(upload_call([file], entry=entry, boundary=boundary))
        if entry is None and status(reply) == "201":
            self.note(
                f"{ATTACHMENTS}({fields(reply)['AbsoluteEntry']}) stays, with the file {self.file_name}"
            )
        return reply

    async def trial_files(self) -> dict[str, Any]:
        """Return an attachment entry with the trial file; the first call creates it.

        Raises:
            QuestionSkipped: the ERP takes no files.
        """
        if self._files is None:
            reply = await self.add_file(None)
            if status(reply) != "201":
                raise QuestionSkipped(f"adding a file is refused: {refusal(reply)}")
            self._files = fields(reply)
        return fields(await self.get(f"{ATTACHMENTS}({self._files['AbsoluteEntry']})"))

    def remember(self, *entries: int) -> None:
        """Record further created documents, so that they are cancelled at the end."""
        self._created += entries

    def note(self, sentence: str) -> None:
        """Remember something that stays."""
        self._notes.append(sentence)

    async def tidy(self) -> tuple[str, ...]:
        """Cancel open trial documents; return a sentence for each record that stays. Raises no ERP error."""
        remaining = list(self._notes)
        for entry in self._created:
            path = f"{TRIAL_SET}({entry})"
            remaining.append(f"{path} stays, {await self._cancelled(path)}")
        return tuple(remaining)

    async def _cancelled(self, path: str) -> str:
        try:
            await self.act(f"{path}/Cancel")
            reply = await self.get(path, {"$select": "DocEntry,Cancelled"})
        except ErpError:
            return "and the ERP no longer answers: look whether it is cancelled"
        return "cancelled" if b'"tYES"' in reply.body else "and is not cancelled: cancel it by hand"
